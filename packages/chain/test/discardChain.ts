import type { DevChain } from "@purse/devchain";

/** Stops a local chain whose folder is removed next: it would save all its past states first, which takes seconds. */
export async function discardChain(chain: DevChain | undefined): Promise<void> {
  if (!chain) return;
  process.kill(-chain.pid, "SIGKILL");
  await chain.stop();
}

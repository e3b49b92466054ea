import { copyFile, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DevChain } from "../src/devchain.ts";

/** Creates an empty folder: a chain that starts in it creates its history. */
export const newFolder = () => mkdtemp(join(tmpdir(), "purse-devchain-"));

/**
 * Creates a folder with the saved state of a new chain, which all tests share: resuming takes a quarter of the time of
 * creating it.
 */
export async function newFolderWithHistory(): Promise<string> {
  const folder = await newFolder();
  const saved = process.env.PURSE_TEST_BEGUN_CHAIN;
  if (saved !== undefined) await copyFile(saved, join(folder, "state.json.gz"));
  return folder;
}

/** Stops a chain whose folder is removed next, without saving its states. */
export async function discard(chain: DevChain | undefined): Promise<void> {
  if (!chain) return;
  process.kill(-chain.pid, "SIGKILL");
  await chain.stop();
}

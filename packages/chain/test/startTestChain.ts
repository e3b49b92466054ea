import { rm } from "node:fs/promises";
import { type DevChain, startDevChain } from "@purse/devchain";
import { discardChain } from "./discardChain.ts";
import { createChainFolder } from "./indexDatabase.ts";
import { type TestChain, testChain } from "./testChain.ts";

/** Starts a chain with the contracts and the history of development in a folder of its own, which `ends` remove. */
export async function startTestChain(
  ends: (() => Promise<unknown>)[],
): Promise<{ devChain: DevChain; chain: TestChain }> {
  const dataDir = await createChainFolder();
  ends.push(() => rm(dataDir, { recursive: true, force: true }));
  const devChain = await startDevChain({ port: 0, dataDir, autoSave: false });
  ends.push(() => discardChain(devChain));
  return { devChain, chain: testChain(devChain) };
}

import { rm } from "node:fs/promises";
import { type DevChain, startDevChain } from "@purse/devchain";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { discardChain } from "../../test/discardChain.ts";
import { createChainFolder, createTempFolder } from "../../test/indexDatabase.ts";
import { type Intercept, proxyNode } from "../../test/proxyNode.ts";
import { type TestChain, testChain } from "../../test/testChain.ts";
import { startService } from "../../test/testService.ts";

const BSC = 56;
/** The preset of the BNB chain. */
const CONFIRMATIONS = 15;

let devChain: DevChain;
let chain: TestChain;
const folders: string[] = [];
const ends: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  folders.push(await createChainFolder(), await createTempFolder(), await createTempFolder());
  devChain = await startDevChain({ port: 0, dataDir: folders[0] ?? "", chainId: BSC, autoSave: false });
  chain = testChain(devChain);
});

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

afterAll(async () => {
  await discardChain(devChain);
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

async function finalizedBlock(folder: string, intercept: Intercept) {
  const node = await proxyNode(chain.url, intercept);
  ends.push(() => node.stop());
  const service = await startService({ id: BSC, name: "bsc", rpcUrls: [node.url] }, folder);
  ends.push(() => service.stop());
  const head = await chain.head();
  const { finalized } = await service.waitFor(({ state, indexed, finalized: final }) => {
    return state === "following" && indexed === head && final !== null;
  });
  return { head, finalized };
}

describe("the finalized block of a well-known chain", () => {
  it("is the one with the chain's confirmations if the node does not support the tag", async () => {
    const { head, finalized } = await finalizedBlock(folders[1] ?? "", ({ method, params }) =>
      method === "eth_getBlockByNumber" && (params[0] === "finalized" || params[0] === "safe")
        ? { error: { code: -32_602, message: "invalid block tag" } }
        : undefined,
    );
    expect(finalized).toBe(head - CONFIRMATIONS + 1);
  });

  it("is the one that the node reports if it supports the tag", async () => {
    const tagged = await chain.rpc("eth_getBlockByNumber", ["finalized", false]);
    const { finalized } = await finalizedBlock(folders[2] ?? "", () => undefined);
    expect(finalized).toBe(Number(Object(tagged).number));
  });
});

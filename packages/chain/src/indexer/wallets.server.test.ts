import { isJsonObject, type JsonObject } from "@purse/protocol";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type CreateIndexed, indexBeforehand } from "../../test/indexBeforehand.ts";
import {
  createDatabase,
  DATABASES,
  type DatabaseLocation,
  NIGHTLY,
  runsEveryCase,
} from "../../test/indexDatabase.ts";
import { proxyNode } from "../../test/proxyNode.ts";
import { startTestChain } from "../../test/startTestChain.ts";
import type { TestChain } from "../../test/testChain.ts";
import { startService, type TestService } from "../../test/testService.ts";

const ends: (() => Promise<unknown>)[] = [];
const chainEnds: (() => Promise<unknown>)[] = [];
let chain: TestChain;
let createIndexed: CreateIndexed;

beforeAll(async () => {
  ({ chain } = await startTestChain(chainEnds));
  createIndexed = await indexBeforehand(chain, chainEnds, DATABASES);
});
afterAll(async () => {
  for (const end of chainEnds.reverse()) await end();
});
// Each test starts with the initial chain.
beforeEach(async () => {
  const snapshot = await chain.rpc("evm_snapshot");
  ends.push(async () => expect(await chain.rpc("evm_revert", [snapshot])).toBe(true));
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function newPlace(name: (typeof DATABASES)[number]): Promise<DatabaseLocation> {
  const { location, remove } = await createDatabase(name);
  ends.push(remove);
  return location;
}

async function follow(
  location: DatabaseLocation,
  scope: "chain" | "wallets",
  rpcUrl = chain.url,
): Promise<TestService> {
  const service = await startService({ id: chain.chainId, rpcUrls: [rpcUrl], scope }, location);
  ends.push(() => service.stop());
  return service;
}

async function atHead(service: TestService): Promise<void> {
  const head = await chain.head();
  await service.waitFor(({ state, indexed }) => state === "following" && indexed === head);
}

/** Fields that do not depend on the scope. */
async function answers(service: TestService, address: string): Promise<JsonObject[]> {
  const lists = ["getTokenTransfers", "getTokenBalances", "getNFTs", "getNFTTransfers"];
  const found = await Promise.all(lists.map((name) => service.run(name, { address })));
  return found.map((list) => {
    const rows = isJsonObject(list) ? list.result : list;
    if (!Array.isArray(rows)) throw new Error("no rows");
    // Values and mint blocks are known only in a full index; metadata is read asynchronously.
    return {
      rows: rows.map((row) => ({
        ...Object(row),
        value: Object(row).address ? Object(row).value : null,
        block_number_minted: null,
        token_uri: null,
        metadata: null,
        synced_at: null,
      })),
    };
  });
}

describe.each(DATABASES)("known wallets, on %s", (name) => {
  it("have the same history as in a full index from the first query", async () => {
    const fullIndex = await follow(await createIndexed(name, ends), "chain");
    await atHead(fullIndex);
    const wallets = await follow(await newPlace(name), "wallets");
    await atHead(wallets);
    for (const index of [0, 1, 3, 9]) {
      const address = chain.account(index);
      expect(await answers(wallets, address)).toEqual(await answers(fullIndex, address));
    }
  });

  it("are indexed from then on, across reorganizations and restarts", async () => {
    const location = await newPlace(name);
    const first = await follow(location, "wallets");
    const address = chain.account(7);
    await answers(first, address);
    await chain.transfer(0, address, 11n);
    await chain.mintNft(address);
    await chain.transfer(0, address, 12n);
    await atHead(first);
    await first.stop();
    ends.splice(ends.length - 1, 1);
    await chain.reorganize(2);
    await chain.transfer(0, address, 13n);
    const second = await follow(location, "wallets");
    await atHead(second);
    const fullIndex = await follow(await createIndexed(name, ends), "chain");
    await atHead(fullIndex);
    expect(await answers(second, address)).toEqual(await answers(fullIndex, address));
  });

  // The scope and the node decide on these.
  if (!runsEveryCase(name)) return;

  it("have responses, while queries that need a full index return an error", async () => {
    const service = await follow(await newPlace(name), "wallets");
    await atHead(service);
    for (const [functionName, params] of [
      ["getTransactions", { address: chain.account(1) }],
      ["getLogsByAddress", { address: chain.token }],
      ["getTokenAddressTransfers", { address: chain.token }],
      ["getNFTOwners", { address: chain.token }],
    ] as const)
      await expect(service.run(functionName, params)).rejects.toMatchObject({
        status: 503,
        message: expect.stringContaining("require a full index"),
      });
  });

  if (NIGHTLY)
    it("are indexed in smaller ranges if the node rejects large ones", async () => {
      await chain.mine(300);
      const spans: number[] = [];
      const node = await proxyNode(chain.url, ({ method, params: [filter] }) => {
        if (method !== "eth_getLogs") return undefined;
        const { fromBlock, toBlock } = Object(filter);
        const span = Number(toBlock) - Number(fromBlock) + 1;
        spans.push(span);
        return span > 30
          ? { error: { code: -32_005, message: "query returned too many results" } }
          : undefined;
      });
      ends.push(() => node.stop());
      const service = await follow(await newPlace(name), "wallets", node.url);
      const fullIndex = await follow(await createIndexed(name, ends), "chain");
      await atHead(fullIndex);
      const address = chain.account(1);
      expect(await answers(service, address)).toEqual(await answers(fullIndex, address));
      expect(Math.max(...spans)).toBeGreaterThan(30);
      // Once found, the range stays near the node's limit.
      expect(spans.length).toBeLessThan(200);
    });
});

if (NIGHTLY)
  describe("processes that share a PostgreSQL database", () => {
    it("index a chain one at a time; another one takes over, and all respond", async () => {
      const location = await createIndexed("PostgreSQL", ends);
      const first = await follow(location, "chain");
      const second = await follow(location, "chain");
      await atHead(first);
      await atHead(second);
      await chain.transfer(0, chain.account(8), 21n);
      await atHead(second);
      const rows = await second.run("getTokenTransfers", { address: chain.account(8) });
      expect(Object(Object(rows).result)[0]).toMatchObject({ value: "21" });
      await first.stop();
      await chain.transfer(0, chain.account(8), 22n);
      await atHead(second);
      expect(
        Object(Object(await second.run("getTokenTransfers", { address: chain.account(8) })).result)[0],
      ).toMatchObject({
        value: "22",
      });
    });
  });

import { rm } from "node:fs/promises";
import { type DevChain, startDevChain } from "@purse/devchain";
import { isJsonObject, type JsonObject } from "@purse/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  begunFolder,
  DATABASES,
  newDatabase,
  type Place,
  proxyNode,
  startService,
  type TestChain,
  type TestService,
  testChain,
} from "../testing/testChain.ts";

const ends: (() => Promise<unknown>)[] = [];
let devChain: DevChain;
let chain: TestChain;

beforeEach(async () => {
  const dataDir = await begunFolder();
  ends.push(() => rm(dataDir, { recursive: true, force: true }));
  devChain = await startDevChain({ port: 0, dataDir });
  ends.push(() => devChain.stop());
  chain = testChain(devChain);
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function newPlace(name: (typeof DATABASES)[number]): Promise<Place> {
  const { place, remove } = await newDatabase(name);
  ends.push(remove);
  return place;
}

async function follow(place: Place, scope: "chain" | "wallets", rpcUrl = chain.url): Promise<TestService> {
  const service = await startService({ id: chain.chainId, rpcUrls: [rpcUrl], scope }, place);
  ends.push(() => service.stop());
  return service;
}

async function atHead(service: TestService): Promise<void> {
  const head = await chain.head();
  await service.until(({ state, indexed }) => state === "following" && indexed === head);
}

/** What does not depend on the scope. */
async function answers(service: TestService, address: string): Promise<JsonObject[]> {
  const lists = ["getTokenTransfers", "getTokenBalances", "getNFTs", "getNFTTransfers"];
  const found = await Promise.all(lists.map((name) => service.run(name, { address })));
  return found.map((list) => {
    const rows = isJsonObject(list) ? list.result : list;
    if (!Array.isArray(rows)) throw new Error("no rows");
    // What was paid, and when a token was made, is known where all is indexed; metadata comes in its own time.
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

describe.each(DATABASES)("the wallets that are known, on %s", (name) => {
  it("have the same history as in an index of the whole chain, from the first time they are asked about", async () => {
    const whole = await follow(await newPlace(name), "chain");
    await atHead(whole);
    const wallets = await follow(await newPlace(name), "wallets");
    await atHead(wallets);
    for (const index of [0, 1, 3, 9]) {
      const address = chain.account(index);
      expect(await answers(wallets, address)).toEqual(await answers(whole, address));
    }
  });

  it("are followed from then on, also over reorganisations and restarts", async () => {
    const place = await newPlace(name);
    const first = await follow(place, "wallets");
    const address = chain.account(7);
    await answers(first, address);
    await chain.transfer(0, address, 11n);
    await chain.mintPiece(address);
    await chain.transfer(0, address, 12n);
    await atHead(first);
    await first.stop();
    ends.splice(ends.length - 1, 1);
    await chain.reorganise(2);
    await chain.transfer(0, address, 13n);
    const second = await follow(place, "wallets");
    await atHead(second);
    const whole = await follow(await newPlace(name), "chain");
    await atHead(whole);
    expect(await answers(second, address)).toEqual(await answers(whole, address));
  });

  it("are told apart from what nobody knows: that says what it needs", async () => {
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
        message: expect.stringContaining("need an index of the whole chain"),
      });
  });

  it("are asked for in smaller ranges where the node refuses large ones", async () => {
    await chain.mine(300);
    const spans: number[] = [];
    const node = await proxyNode(chain.url, ({ method, params: [filter] }) => {
      if (method !== "eth_getLogs") return undefined;
      const { fromBlock, toBlock } = Object(filter);
      const span = Number(toBlock) - Number(fromBlock) + 1;
      spans.push(span);
      return span > 30 ? { error: { code: -32_005, message: "query returned too many results" } } : undefined;
    });
    ends.push(() => node.stop());
    const service = await follow(await newPlace(name), "wallets", node.url);
    const whole = await follow(await newPlace(name), "chain");
    await atHead(whole);
    const address = chain.account(1);
    expect(await answers(service, address)).toEqual(await answers(whole, address));
    expect(Math.max(...spans)).toBeGreaterThan(30);
    // Once found, the size is kept near what the node takes.
    expect(spans.length).toBeLessThan(200);
  });
});

describe("processes that share a PostgreSQL", () => {
  it("follow a chain one at a time; the next takes over, and all answer", async () => {
    const place = await newPlace("PostgreSQL");
    const first = await follow(place, "chain");
    const second = await follow(place, "chain");
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

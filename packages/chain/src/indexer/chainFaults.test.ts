import { rm } from "node:fs/promises";
import { type DevChain, startDevChain } from "@purse/devchain";
import type { JsonValue } from "@purse/protocol";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { blockOf, indexOf } from "../model/rows.ts";
import {
  begunFolder,
  type Change,
  DATABASES,
  indexDump,
  type Meddle,
  newDatabase,
  newFolder,
  type Place,
  type ProxyNode,
  proxyNode,
  startService,
  type TestChain,
  type TestService,
  testChain,
} from "../testing/testChain.ts";

let database: (typeof DATABASES)[number] = "SQLite";
let devChain: DevChain;
let chain: TestChain;
const ends: (() => Promise<unknown>)[] = [];

async function newPlace(): Promise<Place> {
  const { place, remove } = await newDatabase(database);
  ends.push(remove);
  return place;
}

async function follow(place: Place, rpcUrls = [chain.url], id = chain.chainId): Promise<TestService> {
  const service = await startService({ id, rpcUrls }, place);
  ends.push(() => service.stop());
  return service;
}

async function proxy(meddle: Meddle, target = chain.url, change?: Change): Promise<ProxyNode> {
  const node = await proxyNode(target, meddle, undefined, change);
  ends.push(() => node.stop());
  return node;
}

async function otherChain(chainId: number): Promise<DevChain> {
  const path = await newFolder();
  ends.push(() => rm(path, { recursive: true, force: true }));
  const other = await startDevChain({ port: 0, dataDir: path, chainId });
  ends.push(() => other.stop());
  return other;
}

/** The token's transfers as the index has them, in the form of `chain.transfers()`. */
async function indexedTransfers(place: Place): Promise<string[]> {
  const { blocks, logs } = await indexDump(place, chain.chainId);
  const hashes = new Map(blocks.map(({ number, hash }) => [number, hash]));
  return logs
    .filter(({ address, erc20 }) => address === chain.token && erc20 === 1)
    .map(({ position, topic1, topic2, data }) => {
      const block = blockOf(Number(position));
      const sides = `0x${String(topic1).slice(26)} 0x${String(topic2).slice(26)}`;
      return `${block} ${indexOf(Number(position))} ${hashes.get(block)} ${sides} ${BigInt(String(data))}`;
    });
}

async function indexedBlocks(place: Place): Promise<string[]> {
  const { blocks } = await indexDump(place, chain.chainId);
  return blocks.map(({ number, hash, parent_hash }) => `${number} ${hash} ${parent_hash}`);
}

async function atHead(service: TestService): Promise<void> {
  const head = await chain.head();
  await service.until(({ state, indexed }) => state === "following" && indexed === head);
}

/** What stands in the index is what a new one of the same chain has. */
async function expectAsRebuilt(place: Place): Promise<void> {
  const anew = await newPlace();
  const rebuilt = await follow(anew);
  await atHead(rebuilt);
  expect(await indexedTransfers(place)).toEqual(await chain.transfers());
  expect(await indexedTransfers(place)).toEqual(await indexedTransfers(anew));
  expect(await indexedBlocks(place)).toEqual(await indexedBlocks(anew));
}

describe.each(DATABASES)("on %s", (name) => {
  let dataDir: string;

  // A chain that has been thrown back often loses old states, which deep reorganisations need.
  beforeAll(async () => {
    database = name;
    dataDir = await begunFolder();
    devChain = await startDevChain({ port: 0, dataDir });
    chain = testChain(devChain);
  });

  afterAll(async () => {
    await devChain?.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  // Each test has the chain as it was at the beginning.
  beforeEach(async () => {
    const snapshot = await chain.rpc("evm_snapshot");
    ends.push(async () => expect(await chain.rpc("evm_revert", [snapshot])).toBe(true));
  });

  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });

  describe("a chain from its first block", () => {
    it("is indexed as the node tells it, and new blocks follow by themselves", async () => {
      const place = await newPlace();
      const service = await follow(place);
      await atHead(service);
      expect(await indexedTransfers(place)).toEqual(await chain.transfers());

      await chain.transfer(0, chain.account(7), 12_345n);
      await atHead(service);
      expect(await indexedTransfers(place)).toEqual(await chain.transfers());
      expect((await indexedTransfers(place)).at(-1)).toMatch(/ 12345$/);
      expect(service.status()).toMatchObject({ chain: 1337, name: "localdevchain", lag: 0 });
    });

    it("is indexed from the configured block on", async () => {
      const place = await newPlace();
      const service = await startService({ id: 1337, rpcUrls: [chain.url], startBlock: 10 }, place);
      ends.push(() => service.stop());
      await atHead(service);
      expect((await indexedBlocks(place))[0]).toMatch(/^10 /);
      const later = (await chain.transfers()).filter((line) => Number.parseInt(line, 10) >= 10);
      expect(await indexedTransfers(place)).toEqual(later);
    });

    it("is read in smaller batches where the node refuses large ones", async () => {
      await chain.mine(300);
      const sizes: number[] = [];
      const node = await proxyNode(
        chain.url,
        () => undefined,
        (calls, response) => {
          sizes.push(calls.length);
          if (calls.length <= 30) return false;
          response.writeHead(413).end();
          return true;
        },
      );
      ends.push(() => node.stop());
      const place = await newPlace();
      await atHead(await follow(place, [node.url]));
      expect(await indexedTransfers(place)).toEqual(await chain.transfers());
      expect(Math.max(...sizes)).toBeGreaterThan(30);
    });

    it("is read from nodes that tell receipts of single transactions only", async () => {
      const node = await proxy(({ method }) =>
        method === "eth_getBlockReceipts"
          ? { error: { code: -32_601, message: "the method eth_getBlockReceipts does not exist" } }
          : undefined,
      );
      const place = await newPlace();
      await atHead(await follow(place, [node.url]));
      await expectAsRebuilt(place);
    });

    it("is read over a WebSocket", async () => {
      const place = await newPlace();
      const service = await follow(place, [chain.url.replace("http", "ws")]);
      await atHead(service);
      await chain.transfer(0, chain.account(7), 5n);
      await atHead(service);
      await expectAsRebuilt(place);
    });

    it("tells how far the index has come, and what is safe and final", async () => {
      const service = await follow(await newPlace());
      await atHead(service);
      const head = await chain.head();
      expect(service.status()).toMatchObject({
        scope: "chain",
        start: 0,
        head,
        indexed: head,
        lag: 0,
        percent: 100,
        etaSeconds: 0,
        nodes: [{ host: new URL(chain.url).host, state: "well" }],
      });
      const final = await chain.rpc("eth_getBlockByNumber", ["finalized", false]);
      expect(service.status().finalized).toBe(Number(Object(final).number));
    });
  });

  describe("a reorganisation", () => {
    it.each([1, 3, 12, 150])("of %i blocks leaves no trace", async (depth) => {
      const place = await newPlace();
      const service = await follow(place);
      await chain.transfer(0, chain.account(7), 1n);
      if (depth > 12) await chain.mine(depth - 5);
      for (let i = 0; i < Math.min(depth, 5); i++) await chain.transfer(0, chain.account(8), BigInt(100 + i));
      if (depth === 12) await chain.mine(7);
      await atHead(service);
      const before = await indexedBlocks(place);

      await chain.reorganise(depth);
      await chain.transfer(0, chain.account(9), 55n);
      await atHead(service);

      expect((await indexedBlocks(place)).slice(0, before.length)).not.toEqual(before);
      await expectAsRebuilt(place);
    });

    it("onto a shorter chain leaves no trace", async () => {
      const place = await newPlace();
      const service = await follow(place);
      const snapshot = await chain.rpc("evm_snapshot");
      const common = await chain.head();
      for (let i = 0; i < 4; i++) await chain.transfer(0, chain.account(8), BigInt(100 + i));
      await atHead(service);

      await chain.rpc("evm_revert", [snapshot]);
      await chain.transfer(0, chain.account(9), 77n);
      await service.until(({ indexed }) => indexed === common + 1);
      await expectAsRebuilt(place);
    });

    it("between the reading of a block and of its logs loses nothing", async () => {
      // Once, the node has no logs for a range, whose last block it then tells otherwise: a read from two chains.
      let armed = true;
      let changed = false;
      const fickle = await proxy(({ method, params: [number = null] }) => {
        if (method === "eth_getLogs" && armed) {
          armed = false;
          changed = true;
          return { result: [] };
        }
        if (method !== "eth_getBlockByNumber" || !changed) return undefined;
        changed = false;
        const hash = `0x${"ab".repeat(32)}`;
        return { result: { number, hash, parentHash: hash, timestamp: "0x1" } };
      });
      const place = await newPlace();
      await atHead(await follow(place, [fickle.url]));
      expect(await indexedTransfers(place)).toEqual(await chain.transfers());
    });
  });

  describe("a restart", () => {
    it("goes on at the checkpoint, without gaps or duplicates", async () => {
      const place = await newPlace();
      await chain.mine(500);
      await chain.transfer(0, chain.account(7), 1n);
      // Breaks off after the first range, in the middle of reading.
      const broken = await proxy(({ method, params: [number] }) =>
        method === "eth_getBlockByNumber" && Number(number) > 300 ? { result: null } : undefined,
      );
      const first = await follow(place, [broken.url]);
      await first.until(({ indexed }) => indexed !== null && indexed > 100);
      await first.stop();
      const indexed = (await indexedBlocks(place)).length;
      expect(indexed).toBeLessThan(400);
      await chain.transfer(0, chain.account(7), 2n);

      const firstAsked: number[] = [];
      const node = await proxy(({ method, params: [number] }) => {
        if (method === "eth_getBlockByNumber" && String(number).startsWith("0x"))
          firstAsked.push(Number(number));
        return undefined;
      });
      const second = await follow(place, [node.url]);
      await atHead(second);
      expect(Math.min(...firstAsked)).toBe(indexed - 1);
      expect(await indexedBlocks(place)).toHaveLength((await chain.head()) + 1);
      await expectAsRebuilt(place);
    });

    it("notices a reorganisation that happened meanwhile", async () => {
      const place = await newPlace();
      const first = await follow(place);
      for (let i = 0; i < 3; i++) await chain.transfer(0, chain.account(8), BigInt(100 + i));
      await atHead(first);
      await first.stop();
      await chain.reorganise(3);
      await atHead(await follow(place));
      await expectAsRebuilt(place);
    });

    it("ends at once, also while a node leaves it waiting", async () => {
      const node = await proxyNode(
        chain.url,
        () => undefined,
        () => true,
      );
      ends.push(() => node.stop());
      const service = await startService({ id: 1337, rpcUrls: [node.url] }, await newPlace());
      while (node.asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
      const began = Date.now();
      await service.stop();
      expect(Date.now() - began).toBeLessThan(1_000);
      expect(service.log.lines.filter((line) => line.includes("cannot be followed"))).toEqual([]);
    });
  });

  describe("a node", () => {
    it("of another chain is refused and nothing of it indexed", async () => {
      const place = await newPlace();
      const service = await follow(place, [chain.url], 137);
      const { error, head } = await service.until(({ state }) => state === "refused");
      expect(error).toBe("the node is of chain 1337, not 137");
      expect(head).toBeNull();
      expect(await indexedBlocks(place)).toEqual([]);
      expect(service.log.lines.join("\n")).toContain("the node is of chain 1337, not 137");
      await expect(
        service.run("getNativeBalance", { chain: "137", address: chain.account(0) }),
      ).rejects.toMatchObject({ status: 503 });
    });

    it("of another chain is refused also when it stands in for one that has failed", async () => {
      const other = await otherChain(4242);
      const place = await newPlace();
      let dead = false;
      const node = await proxyNode(
        chain.url,
        () => undefined,
        (_calls, response) => {
          if (dead) response.destroy();
          return dead;
        },
      );
      ends.push(() => node.stop());
      const service = await follow(place, [node.url, other.url]);
      await atHead(service);
      const before = await indexedBlocks(place);
      dead = true;
      await service.until(({ state }) => state === "unreachable" || state === "refused");
      expect(await indexedBlocks(place)).toEqual(before);
      await expect(service.run("getNativeBalance", { address: chain.account(0) })).rejects.toMatchObject({
        status: 503,
      });
      dead = false;
      await service.until(({ state }) => state === "following");
      expect(await indexedBlocks(place)).toEqual(before);
    });

    it("that dies is reported, and followed again when it is back", async () => {
      const place = await newPlace();
      const devDir = await begunFolder();
      ends.push(() => rm(devDir, { recursive: true, force: true }));
      const first = await startDevChain({ port: 0, dataDir: devDir });
      const port = Number(new URL(first.url).port);
      const service = await follow(place, [first.url]);
      await service.until(({ state }) => state === "following");
      await first.stop();
      const { error, indexed } = await service.until(({ state }) => state === "unreachable");
      expect(error).toMatch(/ECONNREFUSED|closed|hang up|socket/);
      expect(indexed).toBeGreaterThan(0);

      const again = await startDevChain({ port, dataDir: devDir });
      ends.push(() => again.stop());
      const moved = testChain(again);
      await moved.transfer(0, moved.account(7), 99n);
      const head = await moved.head();
      await service.until(({ state, indexed: at }) => state === "following" && at === head, 15_000);
      expect(await indexedTransfers(place)).toEqual(await moved.transfers());
      expect(service.log.lines.join("\n")).toContain("answers again");
    });

    it("that fails is replaced by the next", async () => {
      const place = await newPlace();
      const service = await follow(place, ["http://127.0.0.1:1", chain.url]);
      await atHead(service);
      expect(await indexedTransfers(place)).toEqual(await chain.transfers());
    });

    it("that lags behind does not shorten the index", async () => {
      let lag = 0;
      const node = await proxy(({ method }) =>
        method === "eth_blockNumber" && lag > 0 ? { result: `0x${lag.toString(16)}` } : undefined,
      );
      const place = await newPlace();
      const service = await follow(place, [node.url]);
      await atHead(service);
      const before = await indexedBlocks(place);
      lag = before.length - 5;
      await service.until(({ head }) => head === lag);
      lag = 0;
      const asked = node.asked.length;
      while (node.asked.length < asked + 4) await new Promise((resolve) => setTimeout(resolve, 5));
      expect(await indexedBlocks(place)).toEqual(before);
      expect(service.log.lines.join("\n")).not.toContain("reorganised");
    });

    it("that does not give its blocks is asked slowly and reported", async () => {
      let hide = true;
      const node = await proxy(({ method }) =>
        hide && method === "eth_getBlockByNumber" ? { result: null } : undefined,
      );
      const service = await follow(await newPlace(), [node.url]);
      const began = Date.now();
      await service.until(({ state }) => state === "unreachable", 15_000);
      const perSecond =
        (node.asked.filter((method) => method === "eth_blockNumber").length * 1000) / (Date.now() - began);
      expect(perSecond).toBeLessThan(100);
      hide = false;
      await atHead(service);
    });

    it.each([
      ["leaves a log out", (logs: JsonValue[]) => logs.slice(1)],
      [
        "puts a log in",
        (logs: JsonValue[]) => [
          ...logs,
          { ...Object(logs[0]), logIndex: "0xff", address: `0x${"ab".repeat(20)}` },
        ],
      ],
      [
        "tells another address",
        (logs: JsonValue[]) => logs.map((log) => ({ ...Object(log), address: `0x${"ab".repeat(20)}` })),
      ],
    ])("that %s is refused, and nothing kept of it", async (_what, change) => {
      const node = await proxy(
        () => undefined,
        chain.url,
        ({ method }, result) => {
          if (method !== "eth_getBlockReceipts" || !Array.isArray(result)) return result;
          return result.map((receipt) => {
            const { logs } = Object(receipt);
            return Array.isArray(logs) && logs.length > 0
              ? { ...Object(receipt), logs: change(logs) }
              : receipt;
          });
        },
      );
      const place = await newPlace();
      const service = await follow(place, [node.url]);
      const { error } = await service.until(({ state }) => state === "refused");
      expect(error).toMatch(/logs of block \d+ are not those that its header tells of/);
      const blocks = await indexedBlocks(place);
      expect(blocks.length).toBeLessThan(await chain.head());
      // An honest node beside it is believed.
      const both = await newPlace();
      await atHead(await follow(both, [node.url, chain.url]));
      await expectAsRebuilt(both);
    });

    it.each([
      ["a block that was not asked for", "eth_getBlockByNumber", { number: "0x999999" }],
      ["a head that is no number", "eth_blockNumber", "soon"],
      ["receipts that are no objects", "eth_getBlockReceipts", [1]],
    ])("that tells %s is refused, and nothing kept of it", async (_what, method, result) => {
      const node = await proxy((call) => (call.method === method ? { result } : undefined));
      const place = await newPlace();
      const service = await follow(place, [node.url]);
      await service.until(({ state }) => state === "refused");
      expect(await indexedBlocks(place)).toEqual([]);
    });
  });
});

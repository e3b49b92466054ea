import { rm } from "node:fs/promises";
import { type DevChain, startDevChain } from "@purse/devchain";
import type { JsonValue } from "@purse/protocol";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { discardChain } from "../../test/discardChain.ts";
import { type CreateIndexed, indexBeforehand } from "../../test/indexBeforehand.ts";
import {
  createChainFolder,
  createDatabase,
  DATABASES,
  type DatabaseLocation,
  dumpBlocks,
} from "../../test/indexDatabase.ts";
import { type Intercept, type ProxyNode, proxyNode, type RewriteResult } from "../../test/proxyNode.ts";
import { startTestChain } from "../../test/startTestChain.ts";
import { type TestChain, testChain } from "../../test/testChain.ts";
import { startService, type TestService } from "../../test/testService.ts";
import { blockOf, indexOf } from "../model/rows.ts";

/** Faults of nodes have the same effect on both databases: `npm run prove:nodes` tries all of them on each. */
const IS_LONG = process.env.PURSE_CHAIN_FAULTS === "all";

let database: (typeof DATABASES)[number] = "SQLite";
let chain: TestChain;
let createIndexed: CreateIndexed;
const ends: (() => Promise<unknown>)[] = [];

async function newPlace(): Promise<DatabaseLocation> {
  const { location, remove } = await createDatabase(database);
  ends.push(remove);
  return location;
}

/** A database with the index of the initial chain. */
const indexedPlace = () => createIndexed(database, ends);

async function follow(
  location: DatabaseLocation,
  rpcUrls = [chain.url],
  id = chain.chainId,
): Promise<TestService> {
  const service = await startService({ id, rpcUrls }, location);
  ends.push(() => service.stop());
  return service;
}

async function proxy(meddle: Intercept, target = chain.url, change?: RewriteResult): Promise<ProxyNode> {
  const node = await proxyNode(target, meddle, undefined, change);
  ends.push(() => node.stop());
  return node;
}

/** Starts a chain with another id and more blocks. */
async function otherChain(chainId: number): Promise<DevChain> {
  const path = await createChainFolder();
  ends.push(() => rm(path, { recursive: true, force: true }));
  const other = await startDevChain({ port: 0, dataDir: path, chainId, autoSave: false });
  ends.push(() => discardChain(other));
  await testChain(other).mine(3);
  return other;
}

/** Blocks of the index and its transfers of the token, in the formats of `chain.blocks()` and `chain.transfers()`. */
async function dumped(location: DatabaseLocation): Promise<{ blocks: string[]; transfers: string[] }> {
  const { blocks, logs } = await dumpBlocks(location, chain.chainId);
  const hashes = new Map(blocks.map(({ number, hash }) => [number, hash]));
  return {
    blocks: blocks.map(({ number, hash, parent_hash }) => `${number} ${hash} ${parent_hash}`),
    transfers: logs
      .filter(({ address, erc20 }) => address === chain.token && erc20 === 1)
      .map(({ position, topic1, topic2, data }) => {
        const block = blockOf(Number(position));
        const parties = `0x${String(topic1).slice(26)} 0x${String(topic2).slice(26)}`;
        return `${block} ${indexOf(Number(position))} ${hashes.get(block)} ${parties} ${BigInt(String(data))}`;
      }),
  };
}

const indexedTransfers = async (location: DatabaseLocation) => (await dumped(location)).transfers;
const indexedBlocks = async (location: DatabaseLocation) => (await dumped(location)).blocks;

async function atHead(service: TestService): Promise<void> {
  const head = await chain.head();
  await service.waitFor(({ state, indexed }) => state === "following" && indexed === head);
}

/** The index has the blocks and transfers of the node and no others, as soon as it has noticed the last reorganization. */
async function expectAsOnNode(location: DatabaseLocation): Promise<void> {
  const expected = { blocks: await chain.blocks(), transfers: await chain.transfers() };
  await expect.poll(() => dumped(location), { timeout: 30_000 }).toEqual(expected);
}

describe.each(DATABASES)("on %s", (name) => {
  const hasNodeFaults = IS_LONG || name === "SQLite";
  const chainEnds: (() => Promise<unknown>)[] = [];

  // After large rollbacks, the node often loses old states, which deep reorganizations need.
  beforeAll(async () => {
    database = name;
    ({ chain } = await startTestChain(chainEnds));
    createIndexed = await indexBeforehand(chain, chainEnds, [name]);
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

  describe("a chain from its first block", () => {
    it("is indexed like on the node, and so are new blocks", async () => {
      const location = await newPlace();
      const service = await follow(location);
      await atHead(service);
      expect(await indexedTransfers(location)).toEqual(await chain.transfers());

      await chain.transfer(0, chain.account(7), 12_345n);
      await atHead(service);
      expect(await indexedTransfers(location)).toEqual(await chain.transfers());
      expect((await indexedTransfers(location)).at(-1)).toMatch(/ 12345$/);
      expect(service.status()).toMatchObject({ chain: 1337, name: "localdevchain", lag: 0 });
    });
  });

  describe("a reorganization", () => {
    it.each(hasNodeFaults ? [1, 3, 12, 150] : [150])("of %i blocks leaves no old rows", async (depth) => {
      const location = await indexedPlace();
      const service = await follow(location);
      await chain.transfer(0, chain.account(7), 1n);
      if (depth > 12) await chain.mine(depth - 5);
      for (let i = 0; i < Math.min(depth, 5); i++) await chain.transfer(0, chain.account(8), BigInt(100 + i));
      if (depth === 12) await chain.mine(7);
      await atHead(service);
      const before = await indexedBlocks(location);

      await chain.reorganize(depth);
      await chain.transfer(0, chain.account(9), 55n);
      await atHead(service);

      expect((await indexedBlocks(location)).slice(0, before.length)).not.toEqual(before);
      await expectAsOnNode(location);
    });

    it("onto a shorter chain leaves no old rows", async () => {
      const location = await indexedPlace();
      const service = await follow(location);
      const snapshot = await chain.rpc("evm_snapshot");
      const common = await chain.head();
      for (let i = 0; i < 4; i++) await chain.transfer(0, chain.account(8), BigInt(100 + i));
      await atHead(service);

      await chain.rpc("evm_revert", [snapshot]);
      await chain.transfer(0, chain.account(9), 77n);
      await service.waitFor(({ indexed }) => indexed === common + 1);
      await expectAsOnNode(location);
    });
  });

  describe("a restart", () => {
    it("detects a reorganization in the meantime", async () => {
      const location = await indexedPlace();
      const first = await follow(location);
      for (let i = 0; i < 3; i++) await chain.transfer(0, chain.account(8), BigInt(100 + i));
      await atHead(first);
      await first.stop();
      await chain.reorganize(3);
      await atHead(await follow(location));
      await expectAsOnNode(location);
    });
  });

  describe("a node", () => {
    const forgeries: [string, (logs: JsonValue[]) => JsonValue[]][] = [
      ["omits a log", (logs: JsonValue[]) => logs.slice(1)],
      [
        "adds a log",
        (logs: JsonValue[]) => [
          ...logs,
          { ...Object(logs[0]), logIndex: "0xff", address: `0x${"ab".repeat(20)}` },
        ],
      ],
      [
        "changes an address",
        (logs: JsonValue[]) => logs.map((log) => ({ ...Object(log), address: `0x${"ab".repeat(20)}` })),
      ],
    ];
    // What was written of a rejected range is undone by the database: one is tried on each.
    it.each(hasNodeFaults ? forgeries : forgeries.slice(0, 1))(
      "that %s is rejected, and none of its data is stored",
      async (_what, change) => {
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
        const location = await newPlace();
        const service = await follow(location, [node.url]);
        const { error } = await service.waitFor(({ state }) => state === "refused");
        expect(error).toMatch(/logs of block \d+ do not match the bloom filter of its header/);
        const blocks = await indexedBlocks(location);
        expect(blocks.length).toBeLessThan(await chain.head());
        // An honest second node is trusted.
        const both = await newPlace();
        await atHead(await follow(both, [node.url, chain.url]));
        await expectAsOnNode(both);
      },
    );
  });

  if (!hasNodeFaults) return;

  describe("a chain", () => {
    it("is indexed from the configured start block", async () => {
      const location = await newPlace();
      const service = await startService({ id: 1337, rpcUrls: [chain.url], startBlock: 10 }, location);
      ends.push(() => service.stop());
      await atHead(service);
      expect((await indexedBlocks(location))[0]).toMatch(/^10 /);
      const later = (await chain.transfers()).filter((line) => Number.parseInt(line, 10) >= 10);
      expect(await indexedTransfers(location)).toEqual(later);
    });

    it("is read in smaller batches if the node rejects large ones", async () => {
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
      const location = await newPlace();
      await atHead(await follow(location, [node.url]));
      expect(await indexedTransfers(location)).toEqual(await chain.transfers());
      expect(Math.max(...sizes)).toBeGreaterThan(30);
    });

    it("is read from nodes without eth_getBlockReceipts", async () => {
      const node = await proxy(({ method }) =>
        method === "eth_getBlockReceipts"
          ? { error: { code: -32_601, message: "the method eth_getBlockReceipts does not exist" } }
          : undefined,
      );
      const location = await newPlace();
      await atHead(await follow(location, [node.url]));
      await expectAsOnNode(location);
    });

    it("is read over a WebSocket", async () => {
      const location = await newPlace();
      const service = await follow(location, [chain.url.replace("http", "ws")]);
      await atHead(service);
      await chain.transfer(0, chain.account(7), 5n);
      await atHead(service);
      await expectAsOnNode(location);
    });

    it("is polled immediately when something of it is watched", async () => {
      const hours = { pollMs: 3_600_000 };
      const { service, status, ...own } = await startService(
        { id: 1337, rpcUrls: [chain.url] },
        await indexedPlace(),
        hours,
      );
      ends.push(own.stop);
      await expect.poll(() => status().state).toBe("following");
      await chain.mine(1);
      const head = await chain.head();
      const indexed = () => {
        service.watch(1337, []);
        return status().indexed;
      };
      await expect.poll(indexed).toBe(head);
    });

    it("has its progress, and its safe and finalized blocks, in the status", async () => {
      const service = await follow(await indexedPlace());
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

  describe("a reorganization", () => {
    it("between reading a block and its logs loses nothing", async () => {
      // Once, the node returns no logs for a range and then another last block: data of two chains.
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
      const location = await newPlace();
      await atHead(await follow(location, [fickle.url]));
      expect(await indexedTransfers(location)).toEqual(await chain.transfers());
    });
  });

  describe("a restart", () => {
    it("resumes at the checkpoint without gaps or duplicates", async () => {
      const location = await indexedPlace();
      await chain.mine(500);
      await chain.transfer(0, chain.account(7), 1n);
      // Aborts after the first range, during reading.
      const broken = await proxy(({ method, params: [number] }) =>
        method === "eth_getBlockByNumber" && Number(number) > 300 ? { result: null } : undefined,
      );
      const first = await follow(location, [broken.url]);
      await first.waitFor(({ indexed }) => indexed !== null && indexed > 100);
      await first.stop();
      const indexed = (await indexedBlocks(location)).length;
      expect(indexed).toBeLessThan(400);
      await chain.transfer(0, chain.account(7), 2n);

      const requestedBlocks: number[] = [];
      const node = await proxy(({ method, params: [number] }) => {
        if (method === "eth_getBlockByNumber" && String(number).startsWith("0x"))
          requestedBlocks.push(Number(number));
        return undefined;
      });
      const second = await follow(location, [node.url]);
      await atHead(second);
      expect(Math.min(...requestedBlocks)).toBe(indexed - 1);
      expect(await indexedBlocks(location)).toHaveLength((await chain.head()) + 1);
      await expectAsOnNode(location);
    });

    it("stops immediately, also while a node does not respond", async () => {
      const node = await proxyNode(
        chain.url,
        () => undefined,
        () => true,
      );
      ends.push(() => node.stop());
      const service = await startService({ id: 1337, rpcUrls: [node.url] }, await indexedPlace());
      while (node.methods.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
      const startedAt = Date.now();
      await service.stop();
      expect(Date.now() - startedAt).toBeLessThan(10_000);
      expect(service.log.lines.filter((line) => line.includes("cannot be indexed"))).toEqual([]);
    });
  });

  describe("a node", () => {
    it("of another chain is rejected, and none of its data is indexed", async () => {
      const location = await newPlace();
      const service = await follow(location, [chain.url], 137);
      const { error, head } = await service.waitFor(({ state }) => state === "refused");
      expect(error).toBe("the node belongs to chain 1337, not 137");
      expect(head).toBeNull();
      expect(await indexedBlocks(location)).toEqual([]);
      await expect
        .poll(() => service.log.lines.join("\n"))
        .toContain("the node belongs to chain 1337, not 137");
      await expect(
        service.run("getNativeBalance", { chain: "137", address: chain.account(0) }),
      ).rejects.toMatchObject({ status: 503 });
    });

    it("of another chain is rejected also as a replacement for a failed one", async () => {
      const other = await otherChain(4242);
      const location = await indexedPlace();
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
      const service = await follow(location, [node.url, other.url]);
      await atHead(service);
      const before = await indexedBlocks(location);
      dead = true;
      await service.waitFor(({ state }) => state === "unreachable" || state === "refused");
      expect(await indexedBlocks(location)).toEqual(before);
      await expect(service.run("getNativeBalance", { address: chain.account(0) })).rejects.toMatchObject({
        status: 503,
      });
      dead = false;
      await service.waitFor(({ state }) => state === "following");
      expect(await indexedBlocks(location)).toEqual(before);
    });

    it("that goes down is reported, and used again when it is back", async () => {
      const location = await indexedPlace();
      const devDir = await createChainFolder();
      ends.push(() => rm(devDir, { recursive: true, force: true }));
      const first = await startDevChain({ port: 0, dataDir: devDir, autoSave: false });
      const port = Number(new URL(first.url).port);
      const service = await follow(location, [first.url]);
      await service.waitFor(({ state }) => state === "following");
      await discardChain(first);
      const { error, indexed } = await service.waitFor(({ state }) => state === "unreachable");
      expect(error).toMatch(/ECONNREFUSED|closed|hang up|socket/);
      expect(indexed).toBeGreaterThan(0);

      const again = await startDevChain({ port, dataDir: devDir, autoSave: false });
      ends.push(() => discardChain(again));
      const moved = testChain(again);
      await moved.transfer(0, moved.account(7), 99n);
      const head = await moved.head();
      await service.waitFor(({ state, indexed: at }) => state === "following" && at === head, 15_000);
      expect(await indexedTransfers(location)).toEqual(await moved.transfers());
      expect(service.log.lines.join("\n")).toContain("is available again");
    });

    it("that fails is replaced by the next one", async () => {
      const location = await indexedPlace();
      const service = await follow(location, ["http://127.0.0.1:1", chain.url]);
      await atHead(service);
      expect(await indexedTransfers(location)).toEqual(await chain.transfers());
    });

    it("that lags behind does not shorten the index", async () => {
      let lag = 0;
      const node = await proxy(({ method }) =>
        method === "eth_blockNumber" && lag > 0 ? { result: `0x${lag.toString(16)}` } : undefined,
      );
      const location = await indexedPlace();
      const service = await follow(location, [node.url]);
      await atHead(service);
      const before = await indexedBlocks(location);
      lag = before.length - 5;
      await service.waitFor(({ head }) => head === lag);
      lag = 0;
      const methods = node.methods.length;
      while (node.methods.length < methods + 4) await new Promise((resolve) => setTimeout(resolve, 5));
      expect(await indexedBlocks(location)).toEqual(before);
      expect(service.log.lines.join("\n")).not.toContain("reorganized");
    });

    it("that does not return its blocks is polled slowly and reported", async () => {
      let hide = true;
      const node = await proxy(({ method }) =>
        hide && method === "eth_getBlockByNumber" ? { result: null } : undefined,
      );
      const service = await follow(await newPlace(), [node.url]);
      const startedAt = Date.now();
      await service.waitFor(({ state }) => state === "unreachable", 15_000);
      const perSecond =
        (node.methods.filter((method) => method === "eth_blockNumber").length * 1000) /
        (Date.now() - startedAt);
      expect(perSecond).toBeLessThan(100);
      hide = false;
      await atHead(service);
    });

    it.each([
      ["a block that was not requested", "eth_getBlockByNumber", { number: "0x999999" }],
      ["a head that is not a number", "eth_blockNumber", "soon"],
      ["receipts that are not objects", "eth_getBlockReceipts", [1]],
    ])("that returns %s is rejected, and none of its data is stored", async (_what, method, result) => {
      const node = await proxy((call) => (call.method === method ? { result } : undefined));
      const location = await newPlace();
      const service = await follow(location, [node.url]);
      await service.waitFor(({ state }) => state === "refused");
      expect(await indexedBlocks(location)).toEqual([]);
    });
  });
});

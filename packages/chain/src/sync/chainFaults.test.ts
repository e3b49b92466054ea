import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type DevChain, startDevChain } from "@purse/devchain";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type Meddle,
  newFolder,
  type ProxyNode,
  proxyNode,
  startService,
  type TestChain,
  type TestService,
  testChain,
} from "../testChain.ts";

let devChain: DevChain;
let chain: TestChain;
const ends: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  devChain = await startDevChain({ port: 0, dataDir: await folder() });
  chain = testChain(devChain);
  ends.push(() => devChain.stop());
});

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function folder(): Promise<string> {
  const path = await newFolder();
  ends.push(() => rm(path, { recursive: true, force: true }));
  return path;
}

async function follow(dataDir: string, rpcUrls = [chain.url], id = chain.chainId): Promise<TestService> {
  const service = await startService({ id, rpcUrls }, dataDir);
  ends.push(() => service.stop());
  return service;
}

async function proxy(meddle: Meddle, target = chain.url): Promise<ProxyNode> {
  const node = await proxyNode(target, meddle);
  ends.push(() => node.stop());
  return node;
}

async function otherChain(chainId: number): Promise<DevChain> {
  const other = await startDevChain({ port: 0, dataDir: await folder(), chainId });
  ends.push(() => other.stop());
  return other;
}

/** The token's transfers as the index has them, in the form of `chain.transfers()`. */
function indexedTransfers(dataDir: string): string[] {
  return rows(
    dataDir,
    `SELECT block_number || ' ' || log_index || ' ' || block_hash || ' ' || from_address || ' ' || to_address
       || ' ' || value AS line FROM erc20_transfers WHERE token = '${chain.token}' ORDER BY block_number, log_index`,
  );
}

const indexedBlocks = (dataDir: string) =>
  rows(dataDir, "SELECT number || ' ' || hash || ' ' || parent_hash AS line FROM blocks ORDER BY number");

function rows(dataDir: string, sql: string): string[] {
  const database = new Database(join(dataDir, "chain.sqlite"), { readonly: true });
  try {
    return database
      .prepare<[], { line: string }>(sql)
      .all()
      .map(({ line }) => line);
  } finally {
    database.close();
  }
}

async function atHead(service: TestService): Promise<void> {
  const head = await chain.head();
  await service.until(({ state, indexed }) => state === "following" && indexed === head);
}

/** What stands in the index is what a new one of the same chain has. */
async function expectAsRebuilt(dataDir: string): Promise<void> {
  const anew = await folder();
  const rebuilt = await follow(anew);
  await atHead(rebuilt);
  expect(indexedTransfers(dataDir)).toEqual(await chain.transfers());
  expect(indexedTransfers(dataDir)).toEqual(indexedTransfers(anew));
  expect(indexedBlocks(dataDir)).toEqual(indexedBlocks(anew));
}

describe("a chain from its first block", () => {
  it("is indexed as the node tells it, and new blocks follow by themselves", async () => {
    const dataDir = await folder();
    const service = await follow(dataDir);
    await atHead(service);
    expect(indexedTransfers(dataDir)).toEqual(await chain.transfers());

    await chain.transfer(0, chain.account(7), 12_345n);
    await atHead(service);
    expect(indexedTransfers(dataDir)).toEqual(await chain.transfers());
    expect(indexedTransfers(dataDir).at(-1)).toMatch(/ 12345$/);
    expect(service.status()).toMatchObject({ chain: 1337, name: "localdevchain", lag: 0 });
  });

  it("is indexed from the configured block on", async () => {
    const dataDir = await folder();
    const service = await startService({ id: 1337, rpcUrls: [chain.url], startBlock: 10 }, dataDir);
    ends.push(() => service.stop());
    await atHead(service);
    expect(indexedBlocks(dataDir)[0]).toMatch(/^10 /);
    const later = (await chain.transfers()).filter((line) => Number.parseInt(line, 10) >= 10);
    expect(indexedTransfers(dataDir)).toEqual(later);
  });

  it("is read in smaller ranges where the node refuses large ones", async () => {
    await chain.mine(300);
    const spans: number[] = [];
    const node = await proxy(({ method, params: [filter] }) => {
      if (method !== "eth_getLogs" || typeof filter !== "object" || filter === null) return undefined;
      const { fromBlock, toBlock } = Object.assign({ fromBlock: "", toBlock: "" }, filter);
      if (fromBlock === "") return undefined;
      const span = Number(toBlock) - Number(fromBlock) + 1;
      spans.push(span);
      return span > 30 ? { error: { code: -32005, message: "query returned too many results" } } : undefined;
    });
    const dataDir = await folder();
    const service = await follow(dataDir, [node.url]);
    await atHead(service);
    expect(indexedTransfers(dataDir)).toEqual(await chain.transfers());
    expect(Math.max(...spans)).toBeGreaterThan(30);
    // Once found, the size is kept near what the node takes.
    expect(spans.length).toBeLessThan(80);
  });
});

describe("a reorganisation", () => {
  it.each([1, 3, 12, 150])("of %i blocks leaves no trace", async (depth) => {
    const dataDir = await folder();
    const service = await follow(dataDir);
    await chain.transfer(0, chain.account(7), 1n);
    if (depth > 12) await chain.mine(depth - 10);
    for (let i = 0; i < Math.min(depth, 5); i++) await chain.transfer(0, chain.account(8), BigInt(100 + i));
    if (depth === 12) await chain.mine(7);
    await atHead(service);
    const before = indexedBlocks(dataDir);

    await chain.reorganise(depth);
    await chain.transfer(0, chain.account(9), 55n);
    await atHead(service);

    expect(indexedBlocks(dataDir).slice(0, before.length)).not.toEqual(before);
    await expectAsRebuilt(dataDir);
  });

  it("onto a shorter chain leaves no trace", async () => {
    const dataDir = await folder();
    const service = await follow(dataDir);
    const snapshot = await chain.rpc("evm_snapshot");
    const common = await chain.head();
    for (let i = 0; i < 4; i++) await chain.transfer(0, chain.account(8), BigInt(100 + i));
    await atHead(service);

    await chain.rpc("evm_revert", [snapshot]);
    await chain.transfer(0, chain.account(9), 77n);
    await service.until(({ indexed }) => indexed === common + 1);
    await expectAsRebuilt(dataDir);
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
    const dataDir = await folder();
    await atHead(await follow(dataDir, [fickle.url]));
    expect(indexedTransfers(dataDir)).toEqual(await chain.transfers());
  });
});

describe("a restart", () => {
  it("goes on at the checkpoint, without gaps or duplicates", async () => {
    const dataDir = await folder();
    await chain.mine(500);
    await chain.transfer(0, chain.account(7), 1n);
    // Breaks off after the first range, in the middle of reading.
    const broken = await proxy(({ method, params: [number] }) =>
      method === "eth_getBlockByNumber" && Number(number) > 300 ? { result: null } : undefined,
    );
    const first = await follow(dataDir, [broken.url]);
    await first.until(({ indexed }) => indexed !== null && indexed > 100);
    await first.stop();
    const indexed = indexedBlocks(dataDir).length;
    expect(indexed).toBeLessThan(400);
    await chain.transfer(0, chain.account(7), 2n);

    const firstAsked: number[] = [];
    const node = await proxy(({ method, params: [number] }) => {
      if (method === "eth_getBlockByNumber") firstAsked.push(Number(number));
      return undefined;
    });
    const second = await follow(dataDir, [node.url]);
    await atHead(second);
    expect(Math.min(...firstAsked)).toBe(indexed - 1);
    expect(indexedBlocks(dataDir)).toHaveLength((await chain.head()) + 1);
    await expectAsRebuilt(dataDir);
  });

  it("notices a reorganisation that happened meanwhile", async () => {
    const dataDir = await folder();
    const first = await follow(dataDir);
    for (let i = 0; i < 3; i++) await chain.transfer(0, chain.account(8), BigInt(100 + i));
    await atHead(first);
    await first.stop();
    await chain.reorganise(3);
    await atHead(await follow(dataDir));
    await expectAsRebuilt(dataDir);
  });

  it("ends at once, also while a node leaves it waiting", async () => {
    const node = await proxyNode(
      chain.url,
      () => undefined,
      () => true,
    );
    ends.push(() => node.stop());
    const service = await startService({ id: 1337, rpcUrls: [node.url] }, await folder());
    while (node.asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    const began = Date.now();
    await service.stop();
    expect(Date.now() - began).toBeLessThan(1_000);
    expect(service.log.lines.filter((line) => line.includes("cannot be followed"))).toEqual([]);
  });
});

describe("a node", () => {
  it("of another chain is refused and nothing of it indexed", async () => {
    const dataDir = await folder();
    const service = await follow(dataDir, [chain.url], 137);
    const { error, head } = await service.until(({ state }) => state === "refused");
    expect(error).toBe("the node is of chain 1337, not 137");
    expect(head).toBeNull();
    expect(indexedBlocks(dataDir)).toEqual([]);
    expect(service.log.lines.join("\n")).toContain("the node is of chain 1337, not 137");
    await expect(
      service.run("getNativeBalance", { chain: "137", address: chain.account(0) }),
    ).rejects.toMatchObject({ status: 503 });
  });

  it("of another chain is refused also when it stands in for one that has failed", async () => {
    const other = await otherChain(4242);
    const dataDir = await folder();
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
    const service = await follow(dataDir, [node.url, other.url]);
    await atHead(service);
    const before = indexedBlocks(dataDir);
    dead = true;
    await service.until(({ state }) => state === "unreachable" || state === "refused");
    expect(indexedBlocks(dataDir)).toEqual(before);
    await expect(service.run("getNativeBalance", { address: chain.account(0) })).rejects.toMatchObject({
      status: 503,
    });
    dead = false;
    await service.until(({ state }) => state === "following");
    expect(indexedBlocks(dataDir)).toEqual(before);
  });

  it("that dies is reported, and followed again when it is back", async () => {
    const dataDir = await folder();
    const devDir = await folder();
    const first = await startDevChain({ port: 0, dataDir: devDir });
    const port = Number(new URL(first.url).port);
    const service = await follow(dataDir, [first.url]);
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
    expect(indexedTransfers(dataDir)).toEqual(await moved.transfers());
    expect(service.log.lines.join("\n")).toContain("answers again");
  });

  it("that fails is replaced by the next", async () => {
    const dataDir = await folder();
    const service = await follow(dataDir, ["http://127.0.0.1:1", chain.url]);
    await atHead(service);
    expect(indexedTransfers(dataDir)).toEqual(await chain.transfers());
  });

  it("that lags behind does not shorten the index", async () => {
    let lag = 0;
    const node = await proxy(({ method }) =>
      method === "eth_blockNumber" && lag > 0 ? { result: `0x${lag.toString(16)}` } : undefined,
    );
    const dataDir = await folder();
    const service = await follow(dataDir, [node.url]);
    await atHead(service);
    const before = indexedBlocks(dataDir);
    lag = before.length - 5;
    await service.until(({ head }) => head === lag);
    lag = 0;
    const asked = node.asked.length;
    while (node.asked.length < asked + 4) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(indexedBlocks(dataDir)).toEqual(before);
    expect(service.log.lines.join("\n")).not.toContain("reorganised");
  });

  it("that does not give its blocks is asked slowly and reported", async () => {
    let hide = true;
    const node = await proxy(({ method }) =>
      hide && method === "eth_getBlockByNumber" ? { result: null } : undefined,
    );
    const service = await follow(await folder(), [node.url]);
    const began = Date.now();
    await service.until(({ state }) => state === "unreachable", 15_000);
    const perSecond =
      (node.asked.filter((method) => method === "eth_blockNumber").length * 1000) / (Date.now() - began);
    expect(perSecond).toBeLessThan(100);
    hide = false;
    await atHead(service);
  });

  it.each([
    ["a block that was not asked for", "eth_getBlockByNumber", { number: "0x999999" }],
    ["a head that is no number", "eth_blockNumber", "soon"],
    ["logs that are no list", "eth_getLogs", {}],
    ["logs of other blocks", "eth_getLogs", [{ topics: [], blockNumber: "0x999999" }]],
  ])("that tells %s is refused, and nothing kept of it", async (_what, method, result) => {
    const node = await proxy((call) => (call.method === method ? { result } : undefined));
    const dataDir = await folder();
    const service = await follow(dataDir, [node.url]);
    await service.until(({ state }) => state === "refused");
    expect(indexedBlocks(dataDir)).toEqual([]);
  });
});

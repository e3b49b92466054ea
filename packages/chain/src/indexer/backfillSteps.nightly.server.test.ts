import { afterEach, beforeEach, expect, it } from "vitest";
import { createDatabase, type DatabaseLocation } from "../../test/indexDatabase.ts";
import { type ProxyNode, proxyNode } from "../../test/proxyNode.ts";
import { createTestBackfill, stepOn } from "../../test/rangeBackfill.ts";
import {
  append,
  at,
  blocks,
  fetchBlocks,
  fill,
  openIndexWithRanges,
  openLeader,
  take,
  takeWhole,
} from "../../test/rangeIndexes.ts";
import { createRecordingLogger } from "../../test/testService.ts";
import { indexLocationOf } from "../createChainService.ts";
import { ChainNode } from "../node/chainNode.ts";
import { toHexQuantity } from "../node/quantities.ts";
import type { ChainIndex } from "../store/openIndex.ts";
import { openPostgres } from "../store/postgresConnection.ts";
import { ChainIndexer } from "./chainIndexer.ts";
import type { IndexScope } from "./scope.ts";

/** What the leader does with ranges, without a node. */

const FINALIZED = 59;
const ends: (() => Promise<unknown>)[] = [];
let database: DatabaseLocation;
let leader: ChainIndex;

beforeEach(async () => {
  const { location, remove } = await createDatabase("PostgreSQL");
  ends.push(remove);
  database = location;
  leader = await openLeader(database, ends);
  leader.partitions?.reserve(new Set([2, 3]));
  await append(leader, 0, 19);
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const createBackfill = (fetch: IndexScope["fetch"], isSame?: boolean) =>
  createTestBackfill(leader, { fetch, ...(isSame !== undefined && { isSame }) }, ends);

/** Executes a statement on the index. */
async function execute(statement: string): Promise<void> {
  const location = indexLocationOf(database, 1);
  if (location.kind !== "postgres") throw new Error("the index is not on PostgreSQL");
  const pool = openPostgres(location, "writes", 1);
  await pool.unsafe(statement);
  await pool.end();
}

/** Another process indexes blocks 20 to 23, and dies. */
async function leaveRange(): Promise<void> {
  const range = await take(await openIndexWithRanges(database, ends), 2, 2, ends);
  await range.index.open();
  await fill(range, 20, 23);
  await execute("UPDATE backfill_ranges SET lease_until = '-infinity'");
}

/** A node with a chain of 60 blocks. */
async function startNode(): Promise<ProxyNode> {
  const node = await proxyNode("", ({ method, params: [tag] }) => {
    if (method === "eth_chainId") return { result: "0x1" };
    if (method === "eth_blockNumber") return { result: toHexQuantity(FINALIZED) };
    const block = at(tag === "finalized" ? FINALIZED : Number(tag));
    if (!block) return { result: null };
    const [number, timestamp] = [toHexQuantity(block.number), toHexQuantity(block.timestamp)];
    return { result: { ...block, number, timestamp } };
  });
  ends.push(() => node.stop());
  return node;
}

it("the leader continues a range that a process left, and adds it to the index", async () => {
  await leaveRange();
  const fetched: number[] = [];
  const backfill = createBackfill(async (from, to) => {
    fetched.push(from);
    return fetchBlocks(from, to);
  });
  const { last, steps } = await stepOn(backfill, at(19), FINALIZED);
  expect(steps[0]).toBe("waiting");
  expect(last).toEqual({ kind: "attached", last: at(29) });
  expect(fetched).toEqual([24, 28]);
  expect(backfill.progress).toBeUndefined();
  expect(await leader.store.checkpoint()).toEqual(at(29));
  // Nothing is known of the next partition: the leader indexes it, and then asks again.
  expect(await backfill.step(at(29), 30, FINALIZED)).toEqual({ kind: "index", to: 39 });
});

it("the leader indexes the blocks of a range itself that it cannot complete", async () => {
  await leaveRange();
  const backfill = createBackfill(async () => {
    throw new Error("the node has no such blocks");
  });
  expect((await stepOn(backfill, at(19), FINALIZED)).last).toEqual({ kind: "index", to: 29 });
  expect(await leader.ranges?.leases.list()).toEqual([]);
});

it("the leader indexes the blocks of a range itself that a process with other settings left", async () => {
  await leaveRange();
  const backfill = createBackfill(async () => undefined, false);
  expect(await backfill.step(at(19), 20, FINALIZED)).toEqual({ kind: "index", to: 29 });
  expect(await leader.ranges?.leases.list()).toEqual([]);
});

it("the leader indexes the blocks of a range itself that it cannot add to the index", async () => {
  await takeWhole(await openIndexWithRanges(database, ends), 2, ends);
  const [range] = (await leader.ranges?.leases.list()) ?? [];
  await execute(`ALTER TABLE chain_1_range_${range?.id}.blocks DROP COLUMN timestamp`);
  const backfill = createBackfill(async () => undefined);
  const step = () => backfill.step(at(19), 20, FINALIZED);
  await expect(step()).rejects.toThrow("timestamp");
  await expect(step()).rejects.toThrow("timestamp");
  expect(await step()).toEqual({ kind: "index", to: 29 });
  expect(await leader.ranges?.leases.list()).toEqual([]);
});

it("the indexer does all that is due after a range before it adds the next one", async () => {
  await takeWhole(await openIndexWithRanges(database, ends), 2, ends);
  const { url } = await startNode();
  const written: number[] = [];
  const indexer = new ChainIndexer({
    config: { id: 1, name: "test", aliases: [], rpcUrls: [url] },
    node: new ChainNode(1, [url]),
    store: leader.store,
    writer: leader.writer,
    scope: { blockRange: 4, fetch: async () => undefined },
    log: createRecordingLogger(),
    pollMs: 10,
    backfill: createBackfill(async () => undefined),
    afterWrite: async (indexed) => written.push(indexed) < 3,
  });
  expect(await indexer.step()).toBe(true);
  expect(written).toEqual([29, 29, 29]);
  expect(indexer.status.indexed).toBe(29);
});

it("the indexer polls again if it is to poll immediately while it polls", async () => {
  const { url } = await startNode();
  let polls = 0;
  class WakingNode extends ChainNode {
    override async getBlockNumber(): Promise<number> {
      polls += 1;
      if (polls === 1) indexer.wake();
      return 19;
    }
  }
  const indexer = new ChainIndexer({
    config: { id: 1, name: "test", aliases: [], rpcUrls: [url] },
    node: new WakingNode(1, [url]),
    store: leader.store,
    writer: leader.writer,
    scope: { blockRange: 4, fetch: async () => undefined },
    log: createRecordingLogger(),
    pollMs: 3_600_000,
  });
  indexer.start();
  ends.push(() => indexer.stop());
  await expect.poll(() => polls).toBe(2);
});

it("the leader removes a range that does not continue the index, and those whose blocks are in it", async () => {
  await takeWhole(await openIndexWithRanges(database, ends), 2, ends);
  await takeWhole(await openIndexWithRanges(database, ends), 3, ends);
  const backfill = createBackfill(async () => undefined);
  await leader.writer.unwind(14);
  const fork = blocks(15, 20, at(14), "c");
  await leader.writer.append(at(14), fork, []);
  const parent = fork.blocks.at(-1);
  expect(await backfill.step(parent, 20, FINALIZED)).toEqual({ kind: "index", to: 29 });
  expect(await leader.ranges?.leases.list()).toMatchObject([{ number: 3 }]);
  expect(await backfill.step(at(34), 35, FINALIZED)).toEqual({ kind: "index", to: 39 });
  expect(await leader.ranges?.leases.list()).toEqual([]);
});

it("the leader indexes without bounds near the head, or while final blocks are unknown", async () => {
  const backfill = createBackfill(async () => undefined);
  const all = { kind: "index", to: Number.POSITIVE_INFINITY };
  expect(await backfill.step(at(19), 20, 48)).toEqual(all);
  expect(await backfill.step(at(19), 20, null)).toEqual(all);
  expect(await backfill.step(at(19), 20, 49)).toEqual({ kind: "index", to: 29 });
});

it("a process that observes the index tries to lead it again and again while its node is silent", async () => {
  const node = await proxyNode(
    "",
    () => ({ result: "0x1" }),
    (calls) => calls.some(({ method }) => method === "eth_blockNumber"),
  );
  ends.push(() => node.stop());
  let attempts = 0;
  const indexer = new ChainIndexer({
    config: { id: 1, name: "test", aliases: [], rpcUrls: [node.url] },
    node: new ChainNode(1, [node.url]),
    store: leader.store,
    writer: leader.writer,
    scope: { blockRange: 4, fetch: async () => undefined },
    log: createRecordingLogger(),
    pollMs: 10,
    canIndex: async () => {
      attempts += 1;
      return false;
    },
  });
  indexer.start();
  ends.push(() => indexer.stop());
  await expect.poll(() => attempts).toBeGreaterThan(2);
});

it("a process that observes the index reports once that its node responds late with errors", async () => {
  let calls = 0;
  let respond = () => {};
  class LateNode extends ChainNode {
    override async getBlockNumber(): Promise<number> {
      calls += 1;
      return new Promise((_, reject) => {
        respond = () => reject(new Error("the node is broken"));
      });
    }
  }
  const log = createRecordingLogger();
  const indexer = new ChainIndexer({
    config: { id: 1, name: "test", aliases: [], rpcUrls: ["http://127.0.0.1:9"] },
    node: new LateNode(1, ["http://127.0.0.1:9"]),
    store: leader.store,
    writer: leader.writer,
    scope: { blockRange: 4, fetch: async () => undefined },
    log,
    pollMs: 10,
    // When it tries to lead again.
    canIndex: async () => {
      respond();
      return false;
    },
  });
  indexer.start();
  ends.push(() => indexer.stop());
  await expect.poll(() => indexer.status.error).toBe("the node is broken");
  await expect.poll(() => calls).toBeGreaterThanOrEqual(3);
  expect(indexer.status.state).toBe("unreachable");
  expect(log.lines.filter((line) => line.startsWith("the chain cannot be indexed"))).toHaveLength(1);
});

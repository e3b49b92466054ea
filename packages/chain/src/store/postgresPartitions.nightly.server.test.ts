import { afterEach, beforeEach, expect, it } from "vitest";
import { createBlocks, fillIndex, transferLog } from "../../test/fillIndex.ts";
import { createDatabase, type DatabaseLocation } from "../../test/indexDatabase.ts";
import { createRecordingLogger } from "../../test/testService.ts";
import { indexLocationOf } from "../createChainService.ts";
import { type BlockRow, type BlockRows, positionOf } from "../model/rows.ts";
import { type ChainIndex, openIndex } from "./openIndex.ts";
import { PartitionStatistics } from "./partitionStatistics.ts";
import { openPostgres } from "./postgresConnection.ts";
import { PostgresPartitions } from "./postgresPartitions.ts";
import type { SqlPool } from "./postgresSql.ts";

const TOKEN = `0x${"ee".repeat(20)}`;
const [FROM, TO] = [`0x${"a1".repeat(20)}`, `0x${"b2".repeat(20)}`];
const ALL = { offset: 0, limit: 1_000, withTotal: true };

let database: DatabaseLocation;
let remove: () => Promise<void>;
let pool: SqlPool;
const opened: ChainIndex[] = [];

beforeEach(async () => {
  ({ location: database, remove } = await createDatabase("PostgreSQL"));
  const location = indexLocationOf(database, 1);
  if (location.kind !== "postgres") throw new Error("the index is not on PostgreSQL");
  pool = openPostgres(location, "writes", 2);
});
afterEach(async () => {
  for (const index of opened.splice(0)) await index.close();
  await pool.end();
  await remove();
});

/** The database with partitions of ten blocks in new indexes. */
function partitioned(): DatabaseLocation {
  if (database.kind !== "postgres") throw new Error("the index is not on PostgreSQL");
  return { ...database, partitionBlocks: 10 };
}

async function open(partitionBlocks: number | undefined) {
  const place = indexLocationOf(database, 1, { partitionBlocks });
  const index = await openIndex(place, createRecordingLogger());
  opened.push(index);
  await expect.poll(() => index.isLeader(), { timeout: 30_000, interval: 20 }).toBe(true);
  return index;
}

/** Blocks with one transfer each. */
function blocks(from: number, to: number, parent?: BlockRow, fork?: string): BlockRows {
  const addContents = ({ logs }: BlockRows, block: number) => {
    logs.push(transferLog(block, 0, { token: TOKEN, from: FROM, to: TO }));
  };
  return createBlocks(from, to, parent, addContents, fork);
}

/** The number of rows of each partition of a table, by its name. */
async function rowsOfPartitions(table: string): Promise<Record<string, number>> {
  const names = await pool<{ name: string }>`
    SELECT relname::text AS name FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
    WHERE inhparent = ${table}::text::regclass ORDER BY relname`;
  const counts = names.map(async ({ name }) => {
    const [row] = await pool.unsafe<{ n: number }>(`SELECT count(*)::int8 AS n FROM ${name}`);
    return [name, row?.n ?? -1] as const;
  });
  return Object.fromEntries(await Promise.all(counts));
}

it("append() creates the partitions of its blocks and the next one, without waiting for readers", async () => {
  const { writer, store, partitions } = await open(10);
  expect(partitions?.blocks).toBe(10);
  await writer.append(undefined, blocks(5, 8), []);
  expect(await rowsOfPartitions("logs")).toEqual({ logs_p0: 3, logs_p1: 0 });
  const parent = blocks(5, 8).blocks.at(-1);
  await pool.begin(async (tx) => {
    // A reader in the middle of its transaction.
    await tx`SELECT count(*) FROM logs`;
    await writer.append(parent, blocks(8, 25, parent), []);
  });
  expect(await rowsOfPartitions("logs")).toEqual({ logs_p0: 5, logs_p1: 10, logs_p2: 5, logs_p3: 0 });
  expect(Object.keys(await rowsOfPartitions("nft_transfers"))).toHaveLength(4);
  const { rows, total } = await store.erc20Transfers({ wallet: TO }, ALL);
  expect([rows.length, total]).toEqual([20, 20]);
  expect((await store.erc20Transfers({ wallet: TO }, { ...ALL, offset: 4, limit: 3 })).rows).toEqual(
    rows.slice(4, 7),
  );
});

it("unwind() removes blocks of several partitions, which later blocks fill again", async () => {
  const { writer, store } = await open(10);
  const first = blocks(0, 40);
  await writer.append(undefined, first, []);
  await writer.unwind(15);
  expect(await rowsOfPartitions("logs")).toMatchObject({ logs_p0: 10, logs_p1: 6, logs_p2: 0, logs_p3: 0 });
  const parent = first.blocks[15];
  await writer.append(parent, blocks(16, 22, parent, "c"), []);
  expect(await rowsOfPartitions("logs")).toMatchObject({ logs_p0: 10, logs_p1: 10, logs_p2: 2, logs_p3: 0 });
  expect((await store.erc20Transfers({ token: TOKEN }, ALL)).total).toBe(22);
  expect(await store.erc20Balances.totalBalance(TOKEN, [TO])).toBe(22n);
});

it("an index that is opened keeps its partitions and their size, whatever the location says", async () => {
  const first = blocks(0, 3);
  await (await open(10)).writer.append(undefined, first, []);
  await opened.pop()?.close();
  expect((await open(20)).partitions?.blocks).toBe(10);
  await opened.pop()?.close();
  const { writer, partitions } = await open(undefined);
  expect(partitions?.blocks).toBe(10);
  const parent = first.blocks.at(-1);
  await writer.append(parent, blocks(3, 12, parent), []);
  expect(await rowsOfPartitions("logs")).toEqual({ logs_p0: 10, logs_p1: 2, logs_p2: 0 });
});

it("pages at large offsets are found by the lengths of lists of all partitions", async () => {
  await fillIndex(partitioned(), 1, {
    blocks: 40,
    tokens: [{ address: TOKEN, standard: 20, position: 0 }],
    addContents({ logs }, block) {
      for (let i = 0; i < 40; i++) logs.push(transferLog(block, i, { token: TOKEN, from: FROM, to: TO }));
    },
  });
  const { store, partitions } = await open(undefined);
  expect(partitions?.blocks).toBe(10);
  for (const offset of [1_205, 1_200, 1_599, 1_600]) {
    const { rows, total } = await store.erc20Transfers({ token: TOKEN }, { ...ALL, offset, limit: 1 });
    expect(total).toBe(1_600);
    const rank = 1_599 - offset;
    expect(rows.map(({ position }) => position)).toEqual(
      rank < 0 ? [] : [positionOf(Math.floor(rank / 40), rank % 40)],
    );
  }
});

it("removeBefore() verifies the lease before it locks tables, so that reads do not wait for the lease", async () => {
  const { writer } = await open(10);
  await writer.append(undefined, blocks(0, 25), []);
  const locks: number[] = [];
  const partitions = new PostgresPartitions(
    pool,
    async (tx) => {
      const { count } = await tx`SELECT 1 FROM pg_locks JOIN pg_class ON pg_class.oid = relation
        WHERE pid = pg_backend_pid() AND mode = 'AccessExclusiveLock' AND relname LIKE 'logs%'`;
      locks.push(count);
    },
    10,
  );
  let removal = await partitions.removeBefore(12);
  while (!removal.isRemoved && removal.hasMore) removal = await partitions.removeBefore(12);
  expect(removal.isRemoved).toBe(true);
  expect(locks.length).toBeGreaterThan(1);
  expect(new Set(locks)).toEqual(new Set([0]));
});

/** As autovacuum does, which leaves out the tables that the partitions are of. */
async function analyzePartitions(): Promise<void> {
  for (const name of Object.keys(await rowsOfPartitions("logs"))) await pool.unsafe(`ANALYZE ${name}`);
}

/** The number of rows of a table for which PostgreSQL plans. */
async function plannedRows(table: string): Promise<number | undefined> {
  const [row] = await pool<{ n: number }>`SELECT reltuples::int8 AS n FROM pg_class WHERE relname = ${table}`;
  return row?.n;
}

it("create() updates the statistics of partitioned tables whose partitions have grown", async () => {
  const { writer } = await open(50);
  const statistics = new PartitionStatistics(pool);
  const first = blocks(0, 100);
  await writer.append(undefined, first, []);
  expect(await statistics.update()).toEqual([]);
  await analyzePartitions();
  await new PostgresPartitions(pool, async () => undefined, 50).create(0, 99);
  await expect.poll(() => plannedRows("logs"), { timeout: 30_000, interval: 20 }).toBe(100);
  // PostgreSQL sets the number of rows before it commits the statistics of columns.
  const columns = async () =>
    (await pool`SELECT 1 FROM pg_stats WHERE tablename = 'logs' AND inherited`).count;
  await expect.poll(columns, { timeout: 30_000, interval: 20 }).toBeGreaterThan(0);
  // Fewer rows than autovacuum would analyze.
  const parent = first.blocks.at(-1);
  await writer.append(parent, blocks(100, 105, parent), []);
  await analyzePartitions();
  expect(await statistics.update()).toEqual([]);
});

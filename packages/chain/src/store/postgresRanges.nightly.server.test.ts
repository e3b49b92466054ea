import { afterEach, beforeEach, expect, it } from "vitest";
import { createDatabase, type DatabaseLocation, dumpIndex, dumpPending } from "../../test/indexDatabase.ts";
import { COLLECTION, TOKEN, UPGRADE_BLOCK } from "../../test/rangeContents.ts";
import {
  append,
  at,
  blocks,
  DEFINITION,
  fill,
  openIndexWithRanges,
  openLeader,
  PARTITION_BLOCKS,
  take,
  takeWhole,
} from "../../test/rangeIndexes.ts";
import { indexLocationOf } from "../createChainService.ts";
import { toBytes } from "../model/hexBytes.ts";
import type { BlockRow } from "../model/rows.ts";
import { readSchemaId } from "./indexLease.ts";
import type { ChainIndex } from "./openIndex.ts";
import { openPostgres } from "./postgresConnection.ts";
import type { SqlPool } from "./postgresSql.ts";
import { RangeLostError, rangesTable } from "./rangeLeases.ts";

const ends: (() => Promise<unknown>)[] = [];
let database: DatabaseLocation;
let pool: SqlPool;
let leader: ChainIndex;

beforeEach(async () => {
  database = await newDatabase();
  leader = await openLeader(database, ends);
  const location = indexLocationOf(database, 1);
  if (location.kind !== "postgres") throw new Error("the index is not on PostgreSQL");
  pool = openPostgres(location, "writes", 2);
  ends.push(() => pool.end());
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function newDatabase(): Promise<DatabaseLocation> {
  const { location, remove } = await createDatabase("PostgreSQL");
  ends.push(remove);
  return location;
}

const open = (location: DatabaseLocation) => openIndexWithRanges(location, ends);

async function attach(
  number: number,
  parent = at(number * PARTITION_BLOCKS - 1),
): Promise<BlockRow | undefined> {
  const ranges = await leader.ranges?.leases.list();
  const range = ranges?.find((each) => each.number === number);
  return range && leader.ranges?.attach(range, parent);
}

/** The schemas of ranges. */
async function schemas(): Promise<string[]> {
  const rows = await pool<{ name: string }>`
    SELECT nspname::text AS name FROM pg_namespace WHERE starts_with(nspname, 'chain_1_range_')`;
  return rows.map(({ name }) => name);
}

async function indexesOf(table: string): Promise<number> {
  const { count } = await pool`SELECT FROM pg_indexes WHERE schemaname = 'chain_1' AND tablename = ${table}`;
  return count;
}

it("an index to which ranges were attached equals one of a single pass, also after a reorganization", async () => {
  const other = await newDatabase();
  const single = await openLeader(other, ends);
  for (const from of [0, 7, 14, 21, 28, 35]) await append(single, from, from + 6);
  const helper = await open(database);
  leader.partitions?.reserve(new Set([2, 3]));
  await append(leader, 0, 14);
  await takeWhole(helper, 2, ends);
  await takeWhole(helper, 3, ends);
  await append(leader, 15, 19);
  expect(await attach(3)).toBeUndefined();
  expect(await attach(2)).toEqual(at(29));
  expect(await attach(3)).toEqual(at(39));
  await append(leader, 40, 41);
  expect(await dumpIndex(database, 1)).toEqual(await dumpIndex(other, 1));
  const pending = await dumpPending(database, 1);
  expect(pending).toEqual(await dumpPending(other, 1));
  const tables = { ...pending, ...(await dumpIndex(database, 1)) };
  for (const [table, rows] of Object.entries(tables)) expect(rows, table).not.toEqual([]);
  expect(await schemas()).toEqual([]);
  expect(await indexesOf("logs_p2")).toBe(await indexesOf("logs_p1"));
  for (const { writer } of [single, leader]) {
    await writer.unwind(26);
    await writer.append(at(26), blocks(27, 45, at(26), "c"), []);
  }
  expect(await dumpIndex(database, 1)).toEqual(await dumpIndex(other, 1));
});

it("a range that is attached updates what is known of tokens and NFTs", async () => {
  leader.partitions?.reserve(new Set([2]));
  await append(leader, 0, 19);
  const token = { address: TOKEN, standard: 20, name: "Token", symbol: "TOK", decimals: 18 };
  await leader.writer.saveTokenMetadata({ tokens: [token], block: 19, readAt: 1 });
  await takeWhole(await open(database), 2, ends);
  await attach(2);
  const [known] = await pool`SELECT name, known FROM tokens WHERE address = ${toBytes(TOKEN)}`;
  expect(known).toEqual({ name: "Token", known: 0 });
  const [update] = await pool`SELECT block FROM nft_updates WHERE token = ${toBytes(COLLECTION)}`;
  expect(update).toEqual({ block: UPGRADE_BLOCK });
});

it("a range is invisible to readers until it is attached", async () => {
  leader.partitions?.reserve(new Set([2]));
  await append(leader, 0, 19);
  const list = () =>
    leader.store.erc20Transfers({ token: TOKEN }, { offset: 0, limit: 100, withTotal: true });
  const before = await list();
  await takeWhole(await open(database), 2, ends);
  expect(await list()).toEqual(before);
  await attach(2);
  expect((await list()).total).toBe(30);
});

it("another process continues a range whose lease has expired, and the former holder cannot write it", async () => {
  await append(leader, 0, 9);
  const [first, second] = [await open(database), await open(database)];
  const frozen = await take(first, 2, 5, ends);
  await frozen.index.open();
  await fill(frozen, 20, 23);
  expect(await second.ranges?.take({ first: 2, last: 2, definition: DEFINITION })).toBeUndefined();
  await pool`UPDATE backfill_ranges SET lease_until = '-infinity'`;
  const taken = await take(second, 2, 5, ends);
  expect(taken.lease).toMatchObject({ number: 2, fence: 2, nextBlock: 24 });
  await expect(fill(frozen, 24, 29)).rejects.toThrow(RangeLostError);
  await expect(frozen.index.complete()).rejects.toThrow(RangeLostError);
  await first.ranges?.leases.release(frozen.lease);
  expect(await taken.index.open()).toEqual(at(23));
  await fill(taken, 24, 29);
  await taken.index.complete();
  expect(await leader.ranges?.leases.list()).toMatchObject([{ number: 2, nextBlock: 30, isReady: true }]);
});

it("the lease of a range is renewed while changes use all connections for writes", async () => {
  await append(leader, 0, 9);
  const helper = await open(database);
  const { lease } = await take(helper, 2, 2, ends);
  const leaseEnd = async () => {
    const [row] = await pool<{ at: string }>`SELECT lease_until::text AS at FROM backfill_ranges`;
    return row?.at;
  };
  const before = await leaseEnd();
  let changes: Promise<void>[] = [];
  await pool.begin(async (tx) => {
    await tx.unsafe("SET LOCAL idle_in_transaction_session_timeout = 0");
    await tx.unsafe("LOCK TABLE facts IN SHARE ROW EXCLUSIVE MODE");
    // More than there are connections for writes.
    changes = Array.from({ length: 12 }, (_, i) => leader.writer.saveProperty(`change ${i}`, "1"));
    await helper.ranges?.leases.renew(lease);
    expect(await helper.ranges?.leases.list()).toMatchObject([{ number: 2, isLeased: true }]);
  });
  await Promise.all(changes);
  expect(await leaseEnd()).not.toBe(before);
});

it("a process that indexes no block of a range leaves neither the range nor its schema", async () => {
  await append(leader, 0, 9);
  const helper = await open(database);
  const range = await take(helper, 2, 2, ends);
  expect(await range.index.open()).toBeUndefined();
  await helper.ranges?.leases.release(range.lease);
  expect(await helper.ranges?.leases.list()).toEqual([]);
  expect(await schemas()).toEqual([]);
});

it("blocks of a range that a process still uses are removed later", async () => {
  await append(leader, 0, 9);
  await takeWhole(await open(database), 2, ends);
  const ranges = (await leader.ranges?.leases.list()) ?? [];
  await pool.begin(async (tx) => {
    await tx.unsafe("SET LOCAL idle_in_transaction_session_timeout = 0");
    await tx.unsafe(`SELECT FROM chain_1_range_${ranges[0]?.id}.blocks`);
    expect(await leader.ranges?.remove(ranges)).toBe(false);
  });
  expect(await schemas()).toHaveLength(1);
  expect(await leader.ranges?.remove([])).toBe(true);
  expect(await schemas()).toEqual([]);
});

it("processes that lease ranges at the same time get different ones", async () => {
  await append(leader, 0, 9);
  const helpers = await Promise.all([open(database), open(database), open(database)]);
  await take(leader, 2, 5, ends);
  const taken = await Promise.all(
    helpers.map(async (helper) => helper.ranges?.take({ first: 2, last: 5, definition: DEFINITION })),
  );
  for (const range of taken) if (range) ends.push(() => range.close());
  const numbers = taken.flatMap((range) => range?.lease.number ?? []);
  expect(new Set(numbers).size).toBe(numbers.length);
  expect(numbers).not.toContain(2);
});

it("a process leases the first range of an index while another one creates the table of ranges", async () => {
  await append(leader, 0, 9);
  const helper = await open(database);
  let taking: ReturnType<typeof take> | undefined;
  await pool.begin(async (tx) => {
    await tx.unsafe(rangesTable(await readSchemaId(tx)));
    taking = take(helper, 2, 5, ends);
    const waiting = () => pool`SELECT FROM pg_locks WHERE NOT granted
      AND pid IN (SELECT pid FROM pg_stat_activity WHERE datname = current_database())`;
    await expect.poll(async () => (await waiting()).count).toBe(1);
  });
  expect((await taking)?.lease.number).toBe(2);
});

it("a range is not attached to other blocks than its own predecessor, and can be removed", async () => {
  await append(leader, 0, 9);
  await takeWhole(await open(database), 2, ends);
  leader.partitions?.reserve(new Set([2]));
  const fork = blocks(10, 20, at(9), "c");
  await leader.writer.append(at(9), fork, []);
  const before = await dumpIndex(database, 1);
  expect(await attach(2, fork.blocks.at(-1))).toBeUndefined();
  await leader.ranges?.remove((await leader.ranges?.leases.list()) ?? []);
  expect(await schemas()).toEqual([]);
  expect(await dumpIndex(database, 1)).toEqual(before);
});

it("a range is not attached where blocks were indexed without it, or after the index was built anew", async () => {
  await append(leader, 0, 9);
  const helper = await open(database);
  await takeWhole(helper, 2, ends);
  await takeWhole(helper, 3, ends);
  // A process that knows no ranges creates the partition of the next blocks in advance.
  await append(leader, 10, 19);
  expect(await leader.ranges?.leases.list()).toMatchObject([{ isCurrent: false }, { isCurrent: true }]);
  expect(await attach(2)).toBeUndefined();
  await append(leader, 20, 29);
  await leader.writer.saveProperty("making", JSON.stringify({ scope: "chain", at: 1 }));
  expect(await leader.ranges?.leases.list()).toMatchObject([{ isCurrent: false }, { isCurrent: false }]);
  expect(await attach(3)).toBeUndefined();
  expect(await helper.ranges?.take({ first: 5, last: 6, definition: DEFINITION })).toBeUndefined();
});

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterEach, expect, it } from "vitest";
import { createDatabase, type DatabaseLocation, dumpIndex, dumpPending } from "../../test/indexDatabase.ts";
import { createTestBackfill, stepOn } from "../../test/rangeBackfill.ts";
import { append, at, fetchBlocks, openLeader } from "../../test/rangeIndexes.ts";
import type { RangeProcessOptions } from "../../test/rangeProcess.ts";
import { indexLocationOf } from "../createChainService.ts";
import { openPostgres } from "../store/postgresConnection.ts";
import type { SqlPool } from "../store/postgresSql.ts";

/** Processes that index ranges are killed and stopped in the middle of them. */

const PROCESS = fileURLToPath(new URL("../../test/rangeProcess.ts", import.meta.url));
const FINALIZED = 59;
const WAIT = { timeout: 60_000, interval: 20 };
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function newDatabase(): Promise<DatabaseLocation> {
  const { location, remove } = await createDatabase("PostgreSQL");
  ends.push(remove);
  return location;
}

function openPool(database: DatabaseLocation): SqlPool {
  const location = indexLocationOf(database, 1);
  if (location.kind !== "postgres") throw new Error("the index is not on PostgreSQL");
  const pool = openPostgres(location, "writes", 2);
  ends.push(() => pool.end());
  return pool;
}

function startProcess(options: RangeProcessOptions): { child: ChildProcess; failures: string[] } {
  const env = { ...process.env, RANGES: JSON.stringify(options) };
  const child = fork(PROCESS, { env, execArgv: [] });
  const failures: string[] = [];
  child.on("message", (message) => failures.push(String(message)));
  ends.push(() => kill(child));
  return { child, failures };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

it("ranges of killed and stopped processes are taken over, and the index equals one of a single pass", {
  timeout: 180_000,
}, async () => {
  const [database, other] = [await newDatabase(), await newDatabase()];
  const leader = await openLeader(database, ends);
  leader.partitions?.reserve(new Set([2, 3, 4]));
  await append(leader, 0, 19);
  const pool = openPool(database);
  const nextBlockOf = async (number: number) =>
    (await leader.ranges?.leases.list())?.find((range) => range.number === number)?.nextBlock;
  /** Lets the time pass until leases expire. */
  const expire = () => pool`UPDATE backfill_ranges SET lease_until = '-infinity' WHERE NOT is_ready`;

  const killed = startProcess({ location: database, first: 2, last: 2, pauses: [26] });
  const stopped = startProcess({ location: database, first: 3, last: 4, pauses: [36, 46] });
  await expect.poll(() => nextBlockOf(2), WAIT).toBe(26);
  await expect.poll(() => nextBlockOf(3), WAIT).toBe(36);
  await kill(killed.child);
  stopped.child.kill("SIGSTOP");
  await expire();

  // The leader takes over both ranges. In the second one, it waits after its first block.
  const fetched: number[] = [];
  const resumed = Promise.withResolvers<void>();
  const fetch = async (from: number, to: number) => {
    fetched.push(from);
    if (from === 36) await resumed.promise;
    return fetchBlocks(from, to);
  };
  const backfill = createTestBackfill(leader, { fetch, blockRange: 2 }, ends);
  expect((await stepOn(backfill, at(19), FINALIZED)).last).toEqual({ kind: "attached", last: at(29) });
  const third = stepOn(backfill, at(29), FINALIZED);
  await expect.poll(() => fetched, WAIT).toContain(36);
  expect(fetched[0]).toBe(26);

  // The stopped process continues with what it has fetched before: it may not write that. It then begins another range.
  stopped.child.kill("SIGCONT");
  stopped.child.send("continue");
  await expect.poll(() => stopped.failures, WAIT).toEqual([expect.stringContaining("RangeLostError")]);
  expect(await nextBlockOf(3)).toBe(36);
  await expect.poll(() => nextBlockOf(4), WAIT).toBe(46);

  // It is stopped again while it copies rows, whose locks its successor needs.
  const [range] = await pool<{ id: number }>`SELECT id FROM backfill_ranges WHERE number = 4`;
  const copying =
    () => pool`SELECT FROM pg_stat_activity WHERE datname = current_database() AND state = 'active'
    AND query LIKE 'COPY %' AND query_start < clock_timestamp() - interval '1.1 seconds'`;
  await pool.begin(async (tx) => {
    await tx.unsafe("SET LOCAL idle_in_transaction_session_timeout = 0");
    await tx.unsafe(`LOCK TABLE chain_1_range_${range?.id}.logs IN ACCESS EXCLUSIVE MODE`);
    stopped.child.send("continue");
    await expect.poll(async () => (await copying()).count, WAIT).toBe(1);
    stopped.child.kill("SIGSTOP");
  });
  await expire();
  resumed.resolve();
  expect((await third).last).toEqual({ kind: "attached", last: at(39) });
  expect((await stepOn(backfill, at(39), FINALIZED)).last).toEqual({ kind: "attached", last: at(49) });
  stopped.child.kill("SIGCONT");
  await expect.poll(() => stopped.failures.length, WAIT).toBeGreaterThan(1);
  await backfill.stop();

  const single = await openLeader(other, ends);
  for (const from of [0, 7, 14, 21, 28, 35, 42]) await append(single, from, from + 6);
  await append(single, 49, 49);
  expect(await dumpIndex(database, 1)).toEqual(await dumpIndex(other, 1));
  expect(await dumpPending(database, 1)).toEqual(await dumpPending(other, 1));
});

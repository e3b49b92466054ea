import { createServer } from "node:http";
import { afterEach, expect, it, vi } from "vitest";
import { createDatabase } from "../../test/indexDatabase.ts";
import { append } from "../../test/partitionedIndex.ts";
import { createRecordingLogger } from "../../test/testService.ts";
import { indexLocationOf } from "../createChainService.ts";
import { UNUSED_TABLES_FACT } from "./clickhouse/unusedTables.ts";
import { eventDefinitionIn } from "./eventStorage.ts";
import type { PostgresLocation } from "./indexLocation.ts";
import { type ChainIndex, openIndex } from "./openIndex.ts";
import { openPostgres } from "./postgresConnection.ts";
import type { Transaction } from "./postgresSql.ts";
import { DEFINITION_FACT } from "./upgradeProgress.ts";

const POLL = { timeout: 30_000, interval: 20 };
const IN_CLICKHOUSE = eventDefinitionIn("clickhouse");
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const end of ends.splice(0).reverse()) await end();
});

async function newLocation(): Promise<PostgresLocation & { kind: "postgres" }> {
  const { location, remove } = await createDatabase("PostgreSQL");
  ends.push(remove);
  const index = indexLocationOf(location, 1);
  if (index.kind !== "postgres") throw new Error("the index is not on PostgreSQL");
  return index;
}

async function open(location: Parameters<typeof openIndex>[0]): Promise<ChainIndex> {
  const index = await openIndex(location, createRecordingLogger());
  ends.push(() => index.close());
  return index;
}

/** Opens an index while another process changes it, when the definition is about to be read. */
async function openDuring(
  location: PostgresLocation & { kind: "postgres" },
  change: (tx: Transaction) => Promise<unknown>,
): Promise<ChainIndex> {
  const [pool, observer] = [openPostgres(location, "writes", 1), openPostgres(location, "lookup", 1)];
  ends.push(
    () => pool.end(),
    () => observer.end(),
  );
  const waiting = async () => {
    const rows = await observer`SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'facts'::regclass`;
    return rows.length;
  };
  const { opening } = await pool.begin(async (tx) => {
    await tx.unsafe("SET LOCAL idle_in_transaction_session_timeout = 0");
    await tx`LOCK TABLE facts IN ACCESS EXCLUSIVE MODE`;
    const opening = open(location);
    await expect.poll(waiting, POLL).toBe(1);
    await change(tx);
    return { opening };
  });
  return opening;
}

it("openIndex() counts an index that another process begins meanwhile as one that was begun later", async () => {
  const location = await newLocation();
  await open(location);
  let at = 0;
  const opened = await openDuring(location, async (tx) => {
    const [row] = await tx<{ at: number }>`
      SELECT (extract(epoch FROM clock_timestamp()) * 1000)::int8 AS at`;
    at = row?.at ?? 0;
    await tx`INSERT INTO facts VALUES (${DEFINITION_FACT}, ${JSON.stringify({ ...IN_CLICKHOUSE, at })})`;
  });
  expect(opened.openedAt).toBeLessThanOrEqual(at);
  expect(opened.eventDefinition).toEqual(IN_CLICKHOUSE);
});

it("tables in ClickHouse that are not used are dropped by the clock of the database, also if that of the process is behind", async () => {
  const { now } = Date;
  vi.spyOn(Date, "now").mockImplementation(() => now() - 3_600_000);
  const statements: string[] = [];
  const clickHouse = createServer(async (request, response) => {
    for await (const chunk of request) statements.push(String(chunk).slice(0, 100));
    response.end();
  });
  await new Promise<void>((listening) => clickHouse.listen(0, "127.0.0.1", listening));
  ends.push(() => new Promise((closed) => clickHouse.close(closed)));
  const address = clickHouse.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const index = await open({ ...(await newLocation()), clickHouseUrl: `http://127.0.0.1:${port}/purse` });
  await expect.poll(() => index.isLeader(), POLL).toBe(true);
  const unused = [{ id: "0a1b", at: (await index.now()) - 15 * 60_000 }];
  await index.writer.saveProperty(UNUSED_TABLES_FACT, JSON.stringify(unused));
  await append(index, 0, 3);
  await expect.poll(() => statements, POLL).toContain("DROP TABLE IF EXISTS purse_0a1b_logs SYNC");
});

it("openIndex() without canLead opens a PostgreSQL index that another process has to write", async () => {
  const { location, remove } = await createDatabase("PostgreSQL");
  const open = (canLead: boolean) =>
    openIndex(indexLocationOf(location, 1), createRecordingLogger(), canLead);
  const reader = await open(false);
  expect(await reader.isLeader()).toBe(false);
  const leader = await open(true);
  expect(await leader.isLeader()).toBe(true);
  await leader.close();
  expect(await reader.isLeader()).toBe(false);
  await reader.close();
  await remove();
});

it("openIndex() closes its connections if the events of the index cannot be opened", async () => {
  const { location, remove } = await createDatabase("PostgreSQL");
  const index = indexLocationOf(location, 1);
  if (index.kind !== "postgres") throw new Error("the index is not on PostgreSQL");
  await expect(openIndex({ ...index, clickHouseUrl: "not a URL" }, createRecordingLogger())).rejects.toThrow(
    /URL/,
  );
  const pool = openPostgres(index, "lookup", 1);
  const others = async () => {
    const [row] = await pool<{ n: number }>`SELECT count(*)::int4 AS n FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`;
    return row?.n;
  };
  await expect.poll(others, { timeout: 30_000, interval: 50 }).toBe(0);
  await pool.end();
  await remove();
});

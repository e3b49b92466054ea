import { afterEach, beforeEach, expect, it } from "vitest";
import { forwardConnections } from "../../test/forwardConnections.ts";
import { createDatabase } from "../../test/indexDatabase.ts";
import { indexLocationOf } from "../createChainService.ts";
import type { PostgresLocation } from "./indexLocation.ts";
import { createPostgresSchema, openPostgres } from "./postgresConnection.ts";
import type { SqlPool } from "./postgresSql.ts";

/** Processes that create or open the tables of one index while others write it. */

let location: PostgresLocation;
let pool: SqlPool;
let remove: () => Promise<void>;

beforeEach(async () => {
  const database = await createDatabase("PostgreSQL");
  ({ remove } = database);
  const found = indexLocationOf(database.location, 1);
  if (found.kind !== "postgres") throw new Error("the index is not on PostgreSQL");
  location = found;
  pool = openPostgres(location, "writes", 2);
});
afterEach(async () => {
  await pool.end();
  await remove();
});

const addBlock = `INSERT INTO blocks VALUES (1, '\\x01', '\\x00', 1)`;

it("createPostgresSchema() creates the tables once for processes that start together", async () => {
  await Promise.all(Array.from({ length: 6 }, () => createPostgresSchema(location)));
  const [found] = await pool<{ n: number }>`SELECT count(*)::int4 AS n FROM facts`;
  expect(found?.n).toBe(0);
});

it("createPostgresSchema() does not wait for a process that writes a complete index", async () => {
  await createPostgresSchema(location);
  await pool.begin(async (tx) => {
    await tx.unsafe(addBlock);
    await createPostgresSchema(location);
  });
});

it("createPostgresSchema() lets a process that writes an incomplete index go first, and then completes it", async () => {
  await createPostgresSchema(location);
  await pool`DROP INDEX blocks_by_time`;
  let creating: Promise<void> | undefined;
  await pool.begin(async (tx) => {
    await tx.unsafe(addBlock);
    creating = createPostgresSchema(location);
    const waiting = async () =>
      (
        await pool<{ n: number }>`SELECT count(*)::int4 AS n FROM pg_locks
          WHERE NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
      )[0]?.n;
    await expect.poll(waiting, { timeout: 30_000, interval: 20 }).toBeGreaterThan(0);
    // The other process has locked this table.
    await tx`UPDATE tokens SET known = 0`;
  });
  await creating;
  const found = await pool`SELECT indexname FROM pg_indexes WHERE indexname = 'blocks_by_time'`;
  expect(found).toHaveLength(1);
});

it("openPostgres() connects to another host of the URL while one cannot be reached", async () => {
  const url = new URL(location.url);
  // PostgreSQL of the tests listens on one address only.
  for (const hosts of [`127.0.0.9,${url.hostname}`, `${url.hostname},127.0.0.9`]) {
    const several = openPostgres(
      { ...location, url: location.url.replace(url.hostname, hosts) },
      "writes",
      2,
    );
    try {
      const found = await Promise.all([1, 2, 3].map((n) => several<{ n: number }>`SELECT ${n}::int4 AS n`));
      expect(found.map(([row]) => row?.n)).toEqual([1, 2, 3]);
    } finally {
      await several.end();
    }
  }
});

it("openPostgres() gives up a statement of the indexer whose connection loses all packets without an error", async () => {
  const url = new URL(location.url);
  const connections = await forwardConnections(Number(url.port));
  url.host = `127.0.0.1:${connections.port}`;
  const indexer = openPostgres({ ...location, url: url.href }, "indexer reads", 1);
  try {
    expect(await indexer`SELECT 1`).toHaveLength(1);
    connections.freeze();
    await expect(indexer`SELECT 1`).rejects.toThrow("the database of the index is not available");
    expect(await indexer`SELECT 1`).toHaveLength(1);
  } finally {
    await indexer.end();
    await connections.close();
  }
});

it("openPostgres() waits for a long statement of the indexer where the database does not record what sessions do", async () => {
  const url = `${location.url}?options=${encodeURIComponent("-c track_activities=off")}`;
  const indexer = openPostgres({ ...location, url }, "indexer reads", 1);
  try {
    const [setting] = await indexer<{ track_activities: string }>`SHOW track_activities`;
    expect(setting?.track_activities).toBe("off");
    expect(await indexer`SELECT 1 AS n FROM pg_sleep(3)`).toHaveLength(1);
  } finally {
    await indexer.end();
  }
});

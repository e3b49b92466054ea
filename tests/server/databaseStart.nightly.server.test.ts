import { createServer } from "node:net";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { hasProgram, PGBOUNCER } from "../../scripts/programs.mjs";
import { freePort } from "../support/freePort.ts";
import { send, startNodes } from "../support/nodes.ts";
import { type PgBouncer, startPgBouncer } from "../support/pgbouncer.ts";
import { newDatabase } from "../support/postgresServer.ts";
import { startPurse } from "../support/purse.ts";

describe.skipIf(!hasProgram(PGBOUNCER))("a start on PostgreSQL fails with the reason", () => {
  let bouncer: PgBouncer;
  let url: string;
  beforeAll(async () => {
    url = await newDatabase(inject("postgresUrl"));
    bouncer = await startPgBouncer(url, 4);
  });
  afterAll(() => bouncer?.stop());

  it("if it cannot be reached", async () => {
    const port = await freePort();
    const env = { PURSE_DATABASE_URL: `postgres://purse@127.0.0.1:${port}/app` };
    await expect(startPurse({ env })).rejects.toThrow(
      `PostgreSQL at 127.0.0.1:${port} cannot be reached: The connection to the database was lost: connect ECONNREFUSED`,
    );
  });

  it("if the URL is that of a pooler in transaction mode, and there is no other", async () => {
    await expect(startNodes(1, { PURSE_DATABASE_URL: bouncer.urlOf(url) })).rejects.toThrow(
      /^PURSE_DATABASE_URL is that of a pooler .*set PURSE_DATABASE_DIRECT_URL/,
    );
  });

  it("if the URL is that of a pooler that uses its sessions one after the other", async () => {
    const roundRobin = await startPgBouncer(url, 2, { isRoundRobin: true });
    const pooled = roundRobin.urlOf(url);
    // Opens all of its sessions.
    const sql = postgres(pooled, { max: 2, prepare: false });
    await sql.begin(() => sql`SELECT 1`);
    await sql.end();
    await expect(startNodes(1, { PURSE_DATABASE_URL: pooled })).rejects.toThrow(
      /^PURSE_DATABASE_URL is that of a pooler/,
    );
    await roundRobin.stop();
  });

  it("if the direct URL is that of a pooler, too", async () => {
    const pooled = bouncer.urlOf(url);
    const env = { PURSE_DATABASE_URL: pooled, PURSE_DATABASE_DIRECT_URL: pooled };
    await expect(startNodes(1, env)).rejects.toThrow(/^PURSE_DATABASE_DIRECT_URL is that of a pooler/);
  });

  it("if the pooler and the direct URL lead to different databases, of which none is changed", async () => {
    const other = await newDatabase(inject("postgresUrl"));
    const env = { PURSE_DATABASE_URL: bouncer.urlOf(url), PURSE_DATABASE_DIRECT_URL: other };
    await expect(startNodes(1, env)).rejects.toThrow(/lead to different databases/);
    const sql = postgres(other, { max: 1 });
    expect(await sql`SELECT tablename FROM pg_tables WHERE schemaname = 'public'`).toEqual([]);
    await sql.end();
  });
});

it("a start on PostgreSQL fails while a server of the database has another application id", async () => {
  const env = { PURSE_DATABASE_URL: await newDatabase(inject("postgresUrl")) };
  const nodes = await startNodes(1, env);
  await expect(startNodes(1, { ...env, PURSE_APP_ID: "other-app" })).rejects.toThrow(
    /^Another server of this database has another application id.*PURSE_APP_ID/,
  );
  await (await startNodes(1, env)).remove();
  await nodes.remove();
});

it("a start on PostgreSQL does not wait for a dump of the database, which has read locks on all tables", async () => {
  const url = await newDatabase(inject("postgresUrl"));
  const earlier = await startNodes(1, { PURSE_DATABASE_URL: url });
  await earlier.remove();
  const sql = postgres(url, { max: 1 });
  await sql.begin(async (dump) => {
    const tables = await dump`SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
      WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`;
    await dump.unsafe(`LOCK TABLE ${tables.map(({ name }) => name).join(", ")} IN ACCESS SHARE MODE`);
    const nodes = await startNodes(1, { PURSE_DATABASE_URL: url });
    const user = { username: "ann", password: "correct horse" };
    expect((await send(String(nodes.urls[0]), "POST", "/users", user)).status).toBe(201);
    await nodes.remove();
  });
  await sql.end();
});

it("a start that PostgreSQL rejects at its last step fails before it listens", async () => {
  const url = await newDatabase(inject("postgresUrl"));
  const env = { PURSE_DATABASE_URL: url };
  await (await startNodes(1, env)).remove();
  const sql = postgres(url, { max: 1 });
  // The last write of a start is the code for setting up the studio.
  await sql`CREATE FUNCTION reject() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'No space left on device' USING ERRCODE = 'disk_full'; END $$`;
  await sql`CREATE TRIGGER reject BEFORE INSERT ON purse_claims FOR EACH ROW
    WHEN (NEW.owner = 'setup') EXECUTE FUNCTION reject()`;
  await sql.end();
  // Listening would fail, too.
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const address = other.address();
  const port = typeof address === "object" && address ? address.port : 0;
  await expect(startNodes(1, { ...env, PURSE_PORT: String(port) })).rejects.toThrow("lacks disk space");
  await new Promise((resolve) => other.close(resolve));
});

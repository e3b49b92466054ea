import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { hasProgram, PGBOUNCER } from "../../scripts/programs.mjs";
import { startEmptyChains } from "../support/emptyChains.ts";
import { type Nodes, send, startNodes } from "../support/nodes.ts";
import { type PgBouncer, startPgBouncer } from "../support/pgbouncer.ts";
import { newDatabase } from "../support/postgresServer.ts";

const NODES = 3;
const CHAINS = [1, 10, 56, 137, 8453];
const POOL_SIZE = 12;
const ADDRESS = `0x${"ab".repeat(20)}`;

/** Three nodes with five chains each need fewer than PostgreSQL's 100 connections, of which three are reserved. */
const PLACES = [
  { name: "PostgreSQL", isPooled: false, maxConnections: NODES * 31 },
  // Each node has one connection for notifications and one for maintenance.
  { name: "PostgreSQL behind PgBouncer", isPooled: true, maxConnections: POOL_SIZE + 2 * NODES },
];
const TITLE = "three nodes with five chains on $name";
describe.each(PLACES.filter(({ isPooled }) => !isPooled))(TITLE, testConnections);
describe.skipIf(!hasProgram(PGBOUNCER)).each(PLACES.filter(({ isPooled }) => isPooled))(
  TITLE,
  testConnections,
);

function testConnections({ isPooled, maxConnections }: (typeof PLACES)[number]): void {
  let chains: Awaited<ReturnType<typeof startEmptyChains>>;
  let bouncer: PgBouncer | undefined;
  let nodes: Nodes;
  let sql: postgres.Sql;

  beforeAll(async () => {
    chains = await startEmptyChains();
    const url = await newDatabase(inject("postgresUrl"));
    sql = postgres(url, { max: 1 });
    if (isPooled) bouncer = await startPgBouncer(url, POOL_SIZE);
    nodes = await startNodes(
      NODES,
      {
        PURSE_DATABASE_URL: bouncer?.urlOf(url) ?? url,
        ...(bouncer && { PURSE_DATABASE_DIRECT_URL: url }),
      },
      CHAINS.map((id) => ({ id, name: `chain${id}`, aliases: [], rpcUrls: [chains.urlOf(id)] })),
    );
  });
  afterAll(async () => {
    await nodes.remove();
    await bouncer?.stop();
    await sql.end();
    await chains.close();
  });

  const url = (i: number) => String(nodes.urls[i % NODES]);
  const transfers = (i: number, chain: number) =>
    fetch(`${url(i)}/api/v2/${ADDRESS}/erc20/transfers?chain=0x${chain.toString(16)}`);

  it("index each chain on one of the nodes", async () => {
    const indexed = async (i: number) => {
      const health: { chains: { indexed: number | null }[] } = await (await fetch(`${url(i)}/health`)).json();
      return health.chains.map(({ indexed }) => indexed);
    };
    for (const i of [0, 1, 2]) {
      await expect.poll(() => indexed(i), { timeout: 60_000 }).toEqual(CHAINS.map(() => 0));
    }
  });

  it("respond to requests for all chains and classes within the connection limit", async () => {
    for (let i = 0; i < 30; i++) {
      const answers = await Promise.all([
        ...CHAINS.map((chain) => transfers(i, chain)),
        send(url(i), "POST", "/classes/Note", { i }),
        send(url(i), "GET", `/classes/Note?where={"i":${i}}`),
      ]);
      expect(answers.filter(({ status }) => status >= 300)).toEqual([]);
    }
    const [row] = await sql`SELECT count(*)::int AS n FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`;
    expect(row?.n).toBeGreaterThan(NODES);
    expect(row?.n).toBeLessThanOrEqual(maxConnections);
  });

  it("notify each other of changes immediately", async () => {
    await send(url(0), "POST", "/classes/Typed", { a: "text" });
    const add = () => send(url(1), "POST", "/classes/Typed", { a: 5 });
    await expect.poll(async () => (await add()).body.code).toBe(111);
    expect(nodes.log.filter((line) => line.includes("no notifications arrive"))).toEqual([]);
  });
}

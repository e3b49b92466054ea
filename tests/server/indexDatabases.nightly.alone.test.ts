import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type BreakableProxy, startBreakableProxy } from "../support/breakableProxy.ts";
import { startEmptyChains } from "../support/emptyChains.ts";
import { MASTER_KEY, type Nodes, send, startNodes } from "../support/nodes.ts";
import { newDatabase } from "../support/postgresServer.ts";

const WAIT = { timeout: 60_000 };
/** Chains with their index in the server's database, and in one of their own. */
const [SHARED, OWN] = [1, 10];
const ADDRESS = `0x${"ab".repeat(20)}`;

describe("two servers with the index of a chain in a PostgreSQL database of its own", () => {
  let chains: Awaited<ReturnType<typeof startEmptyChains>>;
  let proxy: BreakableProxy;
  let nodes: Nodes;
  let appSql: postgres.Sql;
  let indexSql: postgres.Sql;

  beforeAll(async () => {
    chains = await startEmptyChains();
    const [appUrl, indexUrl] = [
      await newDatabase(inject("postgresUrl")),
      await newDatabase(inject("postgresUrl")),
    ];
    appSql = postgres(appUrl, { max: 1 });
    indexSql = postgres(indexUrl, { max: 1 });
    proxy = await startBreakableProxy(() => Number(new URL(indexUrl).port));
    const url = Object.assign(new URL(indexUrl), { port: String(proxy.port), password: "secret" }).href;
    const env = { PURSE_DATABASE_URL: appUrl, PURSE_DATABASE_CONNECTIONS: "4" };
    nodes = await startNodes(2, env, [
      { id: SHARED, name: "shared", aliases: [], rpcUrls: [chains.urlOf(SHARED)] },
      {
        ...{ id: OWN, name: "own", aliases: [], rpcUrls: [chains.urlOf(OWN)], stalledSeconds: 0 },
        database: { url, connections: 4 },
      },
    ]);
  });
  afterAll(async () => {
    await nodes?.remove();
    await Promise.all([appSql?.end(), indexSql?.end(), proxy?.close(), chains?.close()]);
  });

  const read = async (i: number, path: string) => {
    const response = await fetch(`${nodes.urls[i]}${path}`, {
      headers: { "X-Parse-Master-Key": MASTER_KEY },
    });
    return { status: response.status, text: await response.text() };
  };
  const transfers = (i: number, chain: number) =>
    read(i, `/api/v2/${ADDRESS}/erc20/transfers?chain=0x${chain.toString(16)}`);
  const chainOf = async (i: number, id: number) => {
    const { chains }: { chains: { chain: number; state: string; indexed: number | null; term?: number }[] } =
      JSON.parse((await read(i, "/health")).text);
    return chains.find(({ chain }) => chain === id);
  };
  const metric = async (i: number) =>
    /^purse_chain_database_available\{chain="own"\} (\d)/m.exec((await read(i, "/metrics")).text)?.[1];
  const schemas = async (sql: postgres.Sql) =>
    (await sql`SELECT nspname FROM pg_namespace WHERE nspname LIKE 'chain%'`).map(({ nspname }) => nspname);

  it("keep each index with its lease in its database, and read both", async () => {
    for (const i of [0, 1])
      for (const id of [SHARED, OWN])
        await expect.poll(async () => (await chainOf(i, id))?.indexed, WAIT).toBe(0);
    expect(await schemas(appSql)).toEqual([`chain_${SHARED}`]);
    expect(await schemas(indexSql)).toEqual([`chain_${OWN}`]);
    const terms = await Promise.all([0, 1].map(async (i) => (await chainOf(i, OWN))?.term));
    const leases = await indexSql`SELECT fence::int FROM chain_10.lease WHERE expires_at > clock_timestamp()`;
    expect(terms.filter((term) => term !== undefined)).toEqual(leases.map(({ fence }) => fence));
    for (const i of [0, 1])
      for (const id of [SHARED, OWN])
        expect(await transfers(i, id)).toMatchObject({ status: 200, text: expect.stringContaining("total") });
  });

  it("stay ready and say what is missing while that database is down, and index again afterwards", async () => {
    proxy.break();
    for (const i of [0, 1]) {
      await expect.poll(async () => (await chainOf(i, OWN))?.state, WAIT).toBe("unreachable");
      const ready = await read(i, "/ready");
      expect(ready.status).toBe(200);
      expect(JSON.parse(ready.text)).toMatchObject({
        status: "ready",
        degraded: ["The index database of the chain own is not available"],
      });
      expect(await metric(i)).toBe("0");
      expect(await transfers(i, OWN)).toMatchObject({
        status: 503,
        text: expect.stringContaining("the index is not available"),
      });
      expect((await transfers(i, SHARED)).status).toBe(200);
      expect((await send(String(nodes.urls[i]), "POST", "/classes/Note", { i })).status).toBe(201);
      expect((await read(i, "/health")).text).not.toMatch(/ECONN|secret/);
    }
    proxy.restore();
    for (const i of [0, 1]) {
      await expect.poll(async () => (await chainOf(i, OWN))?.state, WAIT).toBe("following");
      await expect.poll(async () => (await transfers(i, OWN)).status, WAIT).toBe(200);
      expect(await metric(i)).toBe("1");
      expect(JSON.parse((await read(i, "/ready")).text)).not.toHaveProperty("degraded");
    }
    const [counts] = await indexSql`SELECT count(*)::int AS blocks FROM chain_10.blocks`;
    expect(counts?.blocks).toBe(1);
    expect(nodes.log.join("\n")).not.toContain("secret");
  });
});

import { parseWhere } from "@purse/protocol";
import { openStore } from "@purse/server";
import postgres from "postgres";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { connectLive, type LiveSocket } from "../support/liveClient.ts";
import { type PostgresProxy, startPostgresProxy } from "../support/postgresProxy.ts";
import { newDatabase, type PostgresServer, startPostgres } from "../support/postgresServer.ts";
import { hostPurse, type Purse, rest } from "../support/purse.ts";

const MASTER = { useMasterKey: true };
const LOST = 30;
const SAVED = 20;

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function startServer(): Promise<PostgresServer> {
  const server = await startPostgres();
  ends.push(() => server.stop());
  return server;
}

/** Starts a server that reaches its database through a proxy. */
async function startNode(
  server: Pick<PostgresServer, "url">,
): Promise<{ purse: Purse; proxy: PostgresProxy; url: string }> {
  const url = await newDatabase(server.url);
  const proxy = await startPostgresProxy(url);
  ends.push(() => proxy.close());
  const env = { PURSE_DATABASE_URL: proxy.url(url), PURSE_DATABASE_CONNECTIONS: "6" };
  const purse = await hostPurse({ env });
  ends.push(() => purse.remove());
  return { purse, proxy, url };
}

async function follow(purse: Purse): Promise<LiveSocket> {
  const client = await connectLive(purse);
  ends.push(async () => client.socket.terminate());
  await client.subscribe("Post");
  return client;
}

async function save(purse: Purse, n: number): Promise<string> {
  const { status, body } = await rest(purse, "POST", "/classes/Post", { n });
  expect(status).toBe(201);
  return String(body.objectId);
}

async function isReady(purse: Purse): Promise<boolean> {
  return (await fetch(`${purse.url}/ready`)).status === 200;
}

/** Repeats a save until it succeeds. */
async function untilSaved(purse: Purse): Promise<void> {
  // An idle connection may be closed at the moment it is used.
  const answer = () => rest(purse, "POST", "/classes/Post", { n: -1 }).catch(() => undefined);
  await expect.poll(async () => (await answer())?.status, { timeout: 20_000 }).toBe(201);
}

/** Expects a refetch after the database was replaced, and then every change. */
async function expectRefetchThenChanges(client: LiveSocket, purse: Purse): Promise<void> {
  await expect.poll(() => client.received.some(({ op }) => op === "refetch"), { timeout: 20_000 }).toBe(true);
  client.received.length = 0;
  const saved: string[] = [];
  for (let n = 0; n < SAVED; n++) saved.push(await save(purse, 10_000 + n));
  await expect.poll(() => client.received.length, { timeout: 10_000 }).toBe(SAVED);
  expect(client.received.map(({ op, object }) => [op, object?.objectId])).toEqual(
    saved.map((id) => ["create", id]),
  );
}

/** Reads the only post with a read preference for replicas. */
async function readPost(purse: Purse): Promise<unknown> {
  const headers = { "X-Parse-Application-Id": purse.appId };
  const url = `${purse.serverUrl}/classes/Post?readPreference=SECONDARY`;
  const { results }: { results?: { n?: number }[] } = await (await fetch(url, { headers })).json();
  return results?.[0]?.n;
}

async function savePost(purse: Purse, n: number, id = ""): Promise<string> {
  const headers = { "X-Parse-Application-Id": purse.appId };
  const answer = await fetch(`${purse.serverUrl}/classes/Post${id && `/${id}`}`, {
    method: id ? "PUT" : "POST",
    headers: { ...headers, "Content-Type": "application/json" },
    body: JSON.stringify({ n }),
  });
  expect(answer.ok).toBe(true);
  const { objectId = id }: { objectId?: string } = await answer.json();
  return objectId;
}

describe("a standby of PostgreSQL", () => {
  let server: PostgresServer;
  let standby: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
    await server.halt();
    standby = await server.copy({ primary: { port: server.port } });
    await server.resume();
  });
  afterAll(() => Promise.all([server, standby].map((each) => each?.discard())));

  /** A new database, as the primary and as the standby have it. */
  async function replicatedDatabase(): Promise<{ url: string; replicaUrl: string }> {
    const url = await newDatabase(server.url);
    return { url, replicaUrl: Object.assign(new URL(url), { port: String(standby.port) }).href };
  }

  it("that lags behind leaves queries on a new field to the primary until it has the column", async () => {
    const { url, replicaUrl } = await replicatedDatabase();
    const store = await openStore({ kind: "postgres", url, connections: 4, replicaUrl });
    ends.push(() => store.close());
    const empty = { className: "Post", table: "Post", classLevelPermissions: {}, indexes: {} };
    const first = await store.changeClass("Post", () => ({ ...empty, fields: {} }));
    const standbySql = postgres(replicaUrl, { max: 1, onnotice: () => undefined });
    ends.push(() => standbySql.end());
    const exists = () =>
      standbySql`SELECT FROM "Post"`.then(
        () => true,
        () => false,
      );
    await expect.poll(exists, { timeout: 20_000 }).toBe(true);
    await standbySql`SELECT pg_wal_replay_pause()`;
    ends.push(() => standbySql`SELECT pg_wal_replay_resume()`);
    const schema = await store.changeClass("Post", () => ({ ...first, fields: { n: { type: "Number" } } }));
    const query = { schema, where: parseWhere({ n: 1 }), order: [], limit: 1, skip: 0, subjects: null };
    expect(await store.find({ ...query, allowsStaleRead: true })).toEqual([]);
  });

  it("as the replica returns writes with a bounded delay", async () => {
    const { url, replicaUrl } = await replicatedDatabase();
    const env = {
      PURSE_DATABASE_URL: url,
      PURSE_DATABASE_REPLICA_URL: replicaUrl,
      PURSE_DATABASE_REPLICA_MAX_LAG_SECONDS: "600",
    };
    const nodes = [await hostPurse({ env }), await hostPurse({ env })] as const;
    for (const node of nodes) ends.push(() => node.remove());
    const [first] = nodes;
    const id = await savePost(first, 1);
    for (const node of nodes) {
      await expect.poll(() => replicaState(node), { timeout: 20_000 }).toBe("used");
      await expect.poll(() => readPost(node), { timeout: 20_000 }).toBe(1);
    }
    const standbySql = postgres(replicaUrl, { max: 1, onnotice: () => undefined });
    const primarySql = postgres(url, { max: 1, onnotice: () => undefined });
    ends.push(() => Promise.all([standbySql.end(), primarySql.end()]));
    const [recorded] = await primarySql<{ lsn: string }[]>`SELECT pg_current_wal_flush_lsn()::text AS lsn`;
    const hasReplayed = async () =>
      (await standbySql`SELECT pg_last_wal_replay_lsn() >= ${recorded?.lsn ?? ""}::pg_lsn AS has`)[0]?.has;
    await expect.poll(hasReplayed, { timeout: 20_000 }).toBe(true);
    await standbySql`SELECT pg_wal_replay_pause()`;
    const pauseState = async () => (await standbySql`SELECT pg_get_wal_replay_pause_state() AS is`)[0]?.is;
    await expect.poll(pauseState, { timeout: 20_000 }).toBe("paused");

    await savePost(first, 2, id);
    for (const node of nodes) {
      expect(await readPost(node)).toBe(1);
    }

    // A store that allows less lag reads the primary.
    const store = await openStore({
      ...{ kind: "postgres", url, connections: 4, replicaUrl, replicaMaxLagMs: 2_000 },
    });
    ends.push(() => store.close());
    const [schema] = await store.loadClasses("Post");
    if (!schema) throw new Error("the class does not exist");
    await expect.poll(() => store.replica?.().isUsed, { timeout: 20_000 }).toBe(false);
    const anything = { schema, where: parseWhere({}), order: [], limit: 1, skip: 0, subjects: null };
    const [post] = await store.find({ ...anything, allowsStaleRead: true });
    expect(JSON.parse(String(post)).n).toBe(2);

    await standbySql`SELECT pg_wal_replay_resume()`;
    await expect.poll(() => store.replica?.().isUsed, { timeout: 20_000 }).toBe(true);
    await standby.halt("immediate");
    expect(await readPost(first)).toBe(2);
    await expect.poll(() => replicaState(first), { timeout: 20_000 }).toBe("unused");
    const ready: { degraded?: string[] } = await (await fetch(`${first.url}/ready`)).json();
    expect(ready.degraded).toEqual(["The replica of the database cannot be reached: the primary is read"]);
    expect(await (await fetch(`${first.url}/metrics`)).text()).toContain("purse_replica_used 0");
  });
});

async function replicaState(purse: Purse): Promise<string | undefined> {
  const { replica }: { replica?: { state: string } } = await (await fetch(`${purse.url}/health`)).json();
  return replica?.state;
}

describe("live queries, when the PostgreSQL database is replaced by one without the latest changes", () => {
  it("order a refetch and report later changes after an older copy took over", async () => {
    const server = await startServer();
    const { purse, proxy } = await startNode(server);
    const client = await follow(purse);
    await save(purse, 1);
    await server.halt();
    const copy = await server.copy();
    // After the server that uses it.
    ends.unshift(() => copy.stop());
    await server.resume();
    await untilSaved(purse);
    for (let n = 0; n < LOST; n++) await save(purse, n);
    await expect
      .poll(() => client.received.filter(({ op }) => op === "create").length)
      .toBeGreaterThanOrEqual(LOST);
    const { position } = client.received.at(-1) ?? {};
    client.received.length = 0;

    proxy.break();
    proxy.redirectTo(copy.port);
    proxy.restore();
    await expectRefetchThenChanges(client, purse);
    // Positions of the old log are invalid.
    const late = await connectLive(purse);
    ends.push(async () => late.socket.terminate());
    await late.subscribe("Post", {}, { resumeFrom: position });
    await expect.poll(() => late.received.some(({ op }) => op === "refetch"), { timeout: 10_000 }).toBe(true);
  });

  it("order a refetch and report later changes after a standby was promoted", async () => {
    const server = await startServer();
    await server.halt();
    const toPrimary = await startPostgresProxy(server.url);
    ends.push(() => toPrimary.close());
    const standby = await server.copy({ primary: { port: toPrimary.port } });
    ends.push(() => standby.stop());
    await server.resume();
    const { purse, proxy, url } = await startNode(server);
    const client = await follow(purse);
    await save(purse, 1);
    const atStandby = new URL(url);
    atStandby.port = String(standby.port);
    await expect
      .poll(() => query(atStandby.href, 'SELECT count(*)::int AS n FROM "Post"'), { timeout: 20_000 })
      .toBe(1);
    // It lags behind, and the missing changes are lost with the primary.
    toPrimary.break();
    for (let n = 0; n < LOST; n++) await save(purse, n);
    client.received.length = 0;

    proxy.break();
    await server.halt("immediate");
    await query(atStandby.href, "SELECT pg_promote()::int AS n");
    proxy.redirectTo(standby.port);
    proxy.restore();
    await expectRefetchThenChanges(client, purse);
    const { body } = await rest(purse, "GET", "/classes/Post?count=1&limit=0");
    expect(body.count).toBe(1 + SAVED);
  });
});

async function query(url: string, text: string): Promise<number | undefined> {
  const { default: postgres } = await import("postgres");
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  try {
    const [row] = await sql.unsafe<{ n: number }[]>(text);
    return row?.n;
  } catch {
    return undefined;
  } finally {
    await sql.end();
  }
}

describe("a process whose connections to PostgreSQL hang", () => {
  it("is not ready until it has new ones, and then knows the changes of others", async () => {
    const { purse: cut, proxy, url } = await startNode({ url: inject("postgresUrl") });
    const env = { PURSE_DATABASE_URL: url, PURSE_DATABASE_CONNECTIONS: "6" };
    const other = await hostPurse({ env });
    ends.push(() => other.remove());
    await save(other, 1);
    await rest(other, "POST", "/classes/Secret", { n: 1 });
    expect((await rest(cut, "GET", "/classes/Secret")).status).toBe(200);
    const client = await follow(cut);
    await expect.poll(() => isReady(cut), { timeout: 10_000 }).toBe(true);

    proxy.freeze();
    const saved = await save(other, 2);
    await rest(other, "PUT", "/schemas/Secret", { classLevelPermissions: { get: { "*": true } } }, MASTER);
    await expect.poll(() => isReady(cut), { timeout: 15_000 }).toBe(false);
    proxy.thaw();
    await expect.poll(() => isReady(cut), { timeout: 10_000 }).toBe(true);
    await expect
      .poll(() => client.received.map(({ object }) => object?.objectId), { timeout: 10_000 })
      .toEqual([saved]);
    // Permissions that were changed meanwhile apply here too.
    await expect
      .poll(async () => (await rest(cut, "GET", "/classes/Secret")).body.code, { timeout: 10_000 })
      .toBe(119);
  });
});

describe("a process whose PostgreSQL is down", () => {
  it("rejects with 503 and Retry-After, and writes again after its return", async () => {
    const server = await startServer();
    const { purse, proxy } = await startNode(server);
    await save(purse, 0);
    await server.halt("immediate");
    const refused = await Promise.all([
      rest(purse, "POST", "/classes/Post", { n: 1 }),
      rest(purse, "GET", "/classes/Post"),
    ]);
    for (const { status, body, headers } of refused) {
      expect(status).toBe(503);
      expect(body.code).toBe(100);
      expect(headers.get("retry-after")).toBe("1");
    }
    expect(await isReady(purse)).toBe(false);
    // Meanwhile the pauses between attempts grow to the maximum.
    const { accepted } = proxy;
    await expect.poll(() => proxy.accepted).toBeGreaterThan(accepted + 20);
    await server.resume();
    await untilSaved(purse);
  });
});

import { connect, createServer, type Socket } from "node:net";
import { type ClassSchema, openStore, type Store } from "@purse/server";
import postgres from "postgres";
import { afterEach, describe, expect, inject, it } from "vitest";
import { startDecodablePostgres } from "../support/decodablePostgres.ts";
import { type CommitFault, startPostgresProxy } from "../support/postgresProxy.ts";
import { newDatabase } from "../support/postgresServer.ts";

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

it.each<CommitFault>(["loseResponse", "loseRequest", "deliverLate", "freeze"])(
  "a store on PostgreSQL opens although the COMMIT of its first migration has the fault %s",
  async (fault) => {
    const url = await newDatabase(inject("postgresUrl"));
    const proxy = await startPostgresProxy(url);
    closers.push(() => proxy.close());
    let left = 1;
    proxy.onCommit(() => (left-- > 0 ? fault : undefined));
    const store = await openStore({ kind: "postgres", url: proxy.url(url), connections: 5 });
    closers.push(() => store.close());
    expect(proxy.lost).toBe(1);
    expect(await store.loadClasses()).toEqual([]);
  },
  45_000,
);

/** Returns the URL of a proxy that forwards nothing any more once a client has sent this text, as a broken router. */
async function freezeAt(text: string, target: string): Promise<string> {
  const { port, hostname } = new URL(target);
  const sockets = new Set<Socket>();
  let isFrozen = false;
  const proxy = createServer((client) => {
    const server = connect(Number(port), hostname);
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
    }
    client.on("data", (data) => {
      isFrozen ||= data.includes(text);
      if (!isFrozen) server.write(data);
    });
    server.on("data", (data) => {
      if (!isFrozen) client.write(data);
    });
    client.on("close", () => server.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  closers.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => proxy.close(resolve));
  });
  const address = proxy.address();
  const url = new URL(target);
  url.host = `127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
  return url.href;
}

it("a store on PostgreSQL does not wait forever for a connection that falls silent during the check for poolers", async () => {
  const url = await freezeAt("purse.session", await newDatabase(inject("postgresUrl")));
  await expect(openStore({ kind: "postgres", url, connections: 2 })).rejects.toThrow(
    /^PostgreSQL at 127\.0\.0\.1:\d+ cannot be reached/,
  );
}, 30_000);

it("a store on PostgreSQL that cannot be opened leaves no connection behind", async () => {
  const url = await newDatabase(inject("postgresUrl"));
  const opening = openStore({ kind: "postgres", url, connections: 5, changes: "decoding" });
  await expect(opening).rejects.toThrow("wal_level");
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  closers.push(() => sql.end());
  const others = async () =>
    (
      await sql`SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`
    ).length;
  await expect.poll(others).toBe(0);
});

it("a store on PostgreSQL has its tables in the first schema of the search path, also if another one has those of a store", async () => {
  const url = await newDatabase(inject("postgresUrl"));
  const sql = postgres(url, { max: 1 });
  closers.push(() => sql.end());
  await sql`CREATE SCHEMA app`;
  for (const searchPath of ["public", "app,public"]) {
    const store = await openStore({
      kind: "postgres",
      url: `${url}?search_path=${searchPath}`,
      connections: 5,
    });
    closers.push(() => store.close());
  }
  const layouts =
    await sql`SELECT schemaname FROM pg_tables WHERE tablename = 'purse_layout' ORDER BY schemaname`;
  expect(layouts.map(({ schemaname }) => schemaname)).toEqual(["app", "public"]);
});

describe("a store on PostgreSQL whose search path continues with the schema of another one", () => {
  const AT = "2026-01-01T00:00:00.000Z";
  const POST: ClassSchema = {
    className: "Post",
    table: "Post",
    fields: {},
    classLevelPermissions: {},
    indexes: {},
  };

  /** Opens a store in the schema `public`, and one in a schema before it. */
  async function openBoth(
    serverUrl: string,
    changes: "triggers" | "decoding",
  ): Promise<[Store, Store, postgres.Sql]> {
    const url = await newDatabase(serverUrl);
    const sql = postgres(url, { max: 1, connection: { search_path: "app" } });
    closers.push(() => sql.end());
    await sql`CREATE SCHEMA app`;
    const open = async (searchPath: string, source: "triggers" | "decoding") => {
      const store = await openStore({
        kind: "postgres",
        url: `${url}?search_path=${searchPath}`,
        connections: 4,
        changes: source,
      });
      closers.push(() => store.close());
      await store.changeClass("Post", () => POST);
      return store;
    };
    return [await open("public", changes), await open("app,public", "triggers"), sql];
  }
  const create = (store: Store, id: string) =>
    store.write([
      { kind: "create", schema: POST, id, at: AT, object: { objectId: id, createdAt: AT, updatedAt: AT } },
    ]);

  it("drops and purges no class of that one if another process has dropped its own", async () => {
    const [other, own] = await openBoth(inject("postgresUrl"), "triggers");
    await create(other, "kept");
    await own.dropClass(POST);
    await own.dropClass(POST);
    await own.purge(POST);
    expect(await other.get(POST, "kept", null)).toContain("kept");
  });

  it("logs changes by triggers although that one decodes them, which it leaves as it is", async () => {
    const server = await startDecodablePostgres();
    closers.push(() => server.stop());
    const [, own, sql] = await openBoth(server.url, "decoding");
    expect(await sql`SELECT to_regclass('public.purse_decoding')::text AS name`).toEqual([
      { name: "public.purse_decoding" },
    ]);
    expect(await sql`SELECT pubname FROM pg_publication`).toHaveLength(1);
    // Its own trigger would fail once that one's tables are gone.
    const [append] = await sql`SELECT prosrc FROM pg_proc WHERE oid = 'app.purse_append_change'::regproc`;
    expect(append?.prosrc).not.toContain("purse_decoded_tables");
    const log = own.changeLog;
    if (!log) throw new Error("PostgreSQL has a log of changes");
    const start = await log.subscribe("Post", Date.now() + 600_000);
    await create(own, "logged");
    await log.head();
    const { changes } = await log.read(start, ["Post"], 10);
    expect(changes.map(({ objectId }) => objectId)).toEqual(["logged"]);
  });
});

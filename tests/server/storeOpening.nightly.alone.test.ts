import { connect, createServer, type Socket } from "node:net";
import { type ClassSchema, openStore, type Store } from "@purse/server";
import postgres from "postgres";
import { afterEach, describe, expect, inject, it } from "vitest";
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
});

it("a store on PostgreSQL that cannot be opened leaves no connection behind", async () => {
  const url = await newDatabase(inject("postgresUrl"));
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  closers.push(() => sql.end());
  await sql`CREATE TABLE purse_layout (version integer NOT NULL, migrations integer)`;
  await sql`INSERT INTO purse_layout VALUES (1000, 1000)`;
  const opening = openStore({ kind: "postgres", url, connections: 5 });
  await expect(opening).rejects.toThrow(
    /newer Purse \(layout 1000, this one knows \d+\): start that version, or restore a backup/,
  );
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
  async function openBoth(): Promise<[Store, Store]> {
    const url = await newDatabase(inject("postgresUrl"));
    const sql = postgres(url, { max: 1, connection: { search_path: "app" } });
    closers.push(() => sql.end());
    await sql`CREATE SCHEMA app`;
    const open = async (searchPath: string) => {
      const store = await openStore({
        kind: "postgres",
        url: `${url}?search_path=${searchPath}`,
        connections: 4,
      });
      closers.push(() => store.close());
      await store.changeClass("Post", () => POST);
      return store;
    };
    return [await open("public"), await open("app,public")];
  }
  const create = (store: Store, id: string) =>
    store.write([
      { kind: "create", schema: POST, id, at: AT, object: { objectId: id, createdAt: AT, updatedAt: AT } },
    ]);

  it("drops and purges no class of that one if another process has dropped its own", async () => {
    const [other, own] = await openBoth();
    await create(other, "kept");
    await own.dropClass(POST);
    await own.dropClass(POST);
    await own.purge(POST);
    expect(await other.get(POST, "kept", null)).toContain("kept");
  });
});

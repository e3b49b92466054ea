import { openStore } from "@purse/server";
import postgres from "postgres";
import { afterEach, expect, inject, it } from "vitest";
import { type CommitFault, startPostgresProxy } from "../support/postgresProxy.ts";
import { newDatabase } from "../support/postgresServer.ts";

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

it.each<CommitFault>(["loseResponse", "loseRequest", "deliverLate", "freeze"])(
  "a store opens although the COMMIT of its first migration has the fault %s",
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

it("a store that cannot be opened leaves no connection behind", async () => {
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

it("a store has its tables in the first schema of the search path, also if another one has those of a store", async () => {
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

import { randomBytes } from "node:crypto";
import { type Order, parseWhere } from "@purse/protocol";
import { type ClassSchema, openStore, type Store } from "@purse/server";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { newDatabase } from "../support/postgresServer.ts";

const OBJECTS = 30;
const OBJECT_BYTES = 400_000;

const schema: ClassSchema = {
  className: "Large",
  table: "Large",
  fields: { text: { type: "String" }, n: { type: "Number" } },
  classLevelPermissions: {},
  indexes: {},
};

describe("large objects on PostgreSQL", () => {
  let url: string;
  let sql: postgres.Sql;

  beforeAll(async () => {
    url = await newDatabase(inject("postgresUrl"));
    sql = postgres(url, { max: 1, onnotice: () => undefined });
    const store = await openStore({ kind: "postgres", url, connections: 2 });
    await store.changeClass("Large", () => schema);
    // Autovacuum would read the large values too.
    await sql`ALTER TABLE "Large" SET (autovacuum_enabled = false, toast.autovacuum_enabled = false)`;
    for (let n = 0; n < OBJECTS; n++) {
      const id = `large${n}`;
      const at = new Date(Date.UTC(2026, 0, 1 + n)).toISOString();
      // Random text cannot be compressed.
      const text = randomBytes(OBJECT_BYTES / 2).toString("base64");
      const object = { objectId: id, createdAt: at, updatedAt: at, text, n };
      await store.write([{ kind: "create", schema, id, at, object }]);
    }
    await store.close();
  });
  afterAll(() => sql?.end());

  /** Returns the number of read TOAST blocks of the class, which sessions report when they end. */
  async function blocksReadBy(work: (store: Store) => Promise<void>): Promise<number> {
    const before = await settledBlocks();
    const store = await openStore({ kind: "postgres", url, connections: 2 });
    await work(store);
    await store.close();
    return (await settledBlocks()) - before;
  }

  async function settledBlocks(): Promise<number> {
    const others = async () =>
      (
        await sql`
          SELECT pid FROM pg_stat_activity
          WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`
      ).length;
    await expect.poll(others, { timeout: 10_000 }).toBe(0);
    const [row] = await sql<{ blocks: number }[]>`
      SELECT (toast_blks_read + toast_blks_hit)::int AS blocks FROM pg_statio_user_tables WHERE relname = 'Large'`;
    return row?.blocks ?? 0;
  }

  it.each<[string, Order[]]>([
    ["in the order of creation", []],
    ["the newest first", [{ path: ["createdAt"], descending: true }]],
    ["the least recently updated first", [{ path: ["updatedAt"], descending: false }]],
  ])("are read only if they are returned, %s", async (_, order) => {
    const ofOne = await blocksReadBy(async (store) => {
      expect(await store.get(schema, "large3", null)).toContain('"large3"');
    });
    const blocks = await blocksReadBy(async (store) => {
      const found = await store.find({
        schema,
        where: parseWhere({}),
        order,
        limit: 1,
        skip: 0,
        subjects: null,
      });
      expect(found).toHaveLength(1);
    });
    // Once to measure the size, and once to return the object.
    expect(blocks / ofOne).toBeLessThan(4);
  });
});

import { parseOrder, parseWhere } from "@purse/protocol";
import { type ClassSchema, openStore, type Store, type Write } from "@purse/server";
import postgres from "postgres";
import { afterEach, beforeEach, expect, inject, it } from "vitest";
import { newDatabase } from "../support/postgresServer.ts";

const AT = "2026-01-01T00:00:00.000Z";

const schema: ClassSchema = {
  className: "Sale",
  table: "Sale",
  fields: { group: { type: "String" }, amount: { type: "Number" } },
  classLevelPermissions: {},
  indexes: {},
};

let sql: postgres.Sql;
let store: Store;

beforeEach(async () => {
  const url = await newDatabase(inject("postgresUrl"));
  sql = postgres(url, { max: 1, onnotice: () => undefined });
  store = await openStore({ kind: "postgres", url, connections: 4 });
  await store.changeClass("Sale", () => schema);
});

afterEach(async () => {
  await store.close();
  await sql.end();
});

function creates(count: number): Write[] {
  return Array.from({ length: count }, (_, n) => {
    const object = { objectId: `s${n}`, createdAt: AT, updatedAt: AT, group: `g${n % 5}`, amount: n };
    return { kind: "create", schema, id: `s${n}`, at: AT, object };
  });
}

/** Returns the planner's row estimate of a table; -1 before the first ANALYZE. */
async function expectedRows(table: string): Promise<number> {
  const [row] = await sql`SELECT reltuples::int AS n FROM pg_class WHERE relname = ${table}`;
  return row?.n;
}

it("PostgreSQL analyzes a class after its hundredth object", async () => {
  await store.write(creates(99));
  expect(await expectedRows("Sale")).toBe(-1);
  await store.write(creates(100).slice(99));
  await expect.poll(() => expectedRows("Sale")).toBe(100);
});

it("PostgreSQL analyzes the values of a new index", async () => {
  await store.write(creates(60));
  await store.changeClass("Sale", () => ({ ...schema, indexes: { byGroup: { group: 1 } } }));
  const values = async () =>
    (await sql`SELECT n_distinct FROM pg_stats WHERE tablename = 'Sale' AND attname = 'group:String'`)[0]
      ?.n_distinct;
  await expect.poll(values).toBe(5);
});

it("PostgreSQL filters and sorts by columns without reading the JSON of objects", async () => {
  const sale = await store.changeClass("Sale", () => ({ ...schema, indexes: { byGroup: { group: 1 } } }));
  await store.write(creates(200));
  const where = parseWhere({ group: { $in: ["g1", "g2"] }, amount: { $gt: 3, $ne: 7 } });
  const order = parseOrder("-amount,group");
  const query = { schema: sale, where, order, limit: 10, skip: 0, subjects: null };
  expect(JSON.stringify(await store.explain(query))).not.toContain("doc ->");
  // A process of an earlier version reads the JSON.
  const earlier = { ...query, schema };
  expect(JSON.stringify(await store.explain(earlier))).toContain("doc ->");
});

it("PostgreSQL uses the index of a column for a condition on the field", async () => {
  const indexed = await store.changeClass("Sale", (current) => ({
    ...schema,
    ...current,
    indexes: { byGroup: { group: 1, amount: 1 } },
  }));
  const query = { schema: indexed, order: [], limit: 10, skip: 0, subjects: null };
  await store.write(
    Array.from({ length: 2_000 }, (_, n) => {
      const object = { objectId: `s${n}`, createdAt: AT, updatedAt: AT, group: `g${n}`, amount: n };
      return { kind: "create", schema: indexed, id: `s${n}`, at: AT, object };
    }),
  );
  await sql`ANALYZE "Sale"`;
  const plan = JSON.stringify(await store.explain({ ...query, where: parseWhere({ group: "g7" }) }));
  expect(plan).toContain("Sale/index/byGroup");
  expect(plan).toContain(String.raw`(\"group:String\" = `);
});

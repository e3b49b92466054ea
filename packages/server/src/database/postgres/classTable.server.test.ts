import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createDatabase } from "../../../test/postgresDatabase.ts";
import type { ClassSchema } from "../classSchema.ts";
import { openStore } from "../openStore.ts";
import { SCAN_START, type ScanPosition, type Store, type Write } from "../store.ts";

const AT = "2026-01-01T00:00:00.000Z";
const NOTE: ClassSchema = {
  className: "Note",
  table: "Note",
  fields: { text: { type: "String" } },
  classLevelPermissions: {},
  indexes: {},
};

let store: Store;
let database: postgres.Sql;

beforeAll(async () => {
  const url = await createDatabase();
  store = await openStore({ kind: "postgres", url, connections: 2 });
  database = postgres(url, { max: 1, onnotice: () => undefined });
});
afterAll(async () => {
  await database.end();
  await store.close();
});

const create = (schema: ClassSchema, id: string): Write => ({
  kind: "create",
  schema,
  id,
  at: AT,
  object: { objectId: id, createdAt: AT, updatedAt: AT, text: id },
});

/** Returns the ids of a scan in pages of one object. */
async function scannedIds(schema: ClassSchema): Promise<string[]> {
  const ids: string[] = [];
  let after: ScanPosition = SCAN_START;
  for (;;) {
    const [row] = await store.scan(schema, after, 1);
    if (!row) return ids;
    ids.push(JSON.parse(row.text).objectId);
    after = row.position;
  }
}

describe("the table of a class on PostgreSQL", () => {
  it("requires only the ids of its objects to be unique", async () => {
    await store.changeClass("Note", () => NOTE);
    const unique = await database`
      SELECT pg_get_indexdef(indexrelid, 1, true) AS first, indnkeyatts::int AS columns, indisprimary AS is_primary
      FROM pg_index WHERE indrelid = '"Note"'::regclass AND indisunique`;
    expect([...unique]).toEqual([{ first: "id", columns: 1, is_primary: true }]);
  });

  it("is created with its typed columns, so that it is not written again for them", async () => {
    await store.changeClass("Fresh", () => ({ ...NOTE, className: "Fresh", table: "Fresh" }));
    const [table] = await database`SELECT oid = relfilenode AS is_first, (
        SELECT count(*)::int FROM pg_attribute WHERE attrelid = pg_class.oid AND attgenerated = 's') AS columns
      FROM pg_class WHERE oid = '"Fresh"'::regclass`;
    expect(table).toEqual({ is_first: true, columns: 1 });
  });

  it("is scanned completely although objects have the same number in the order of insertion", async () => {
    const schema = await store.changeClass("Twin", () => ({ ...NOTE, className: "Twin", table: "Twin" }));
    await store.write(["c", "a", "b"].map((id) => create(schema, id)));
    await database`UPDATE "Twin" SET seq = 7`;
    expect(await scannedIds(schema)).toEqual(["a", "b", "c"]);
  });

  it("may have been created by an earlier version, with the order of insertion as its primary key", async () => {
    const old = { ...NOTE, className: "Old", table: "Old" };
    await database`CREATE TABLE "Old" (
      seq bigserial PRIMARY KEY, id text COLLATE "C" NOT NULL UNIQUE, created_at text COLLATE "C" NOT NULL,
      updated_at text COLLATE "C" NOT NULL, read_acl text[], write_acl text[], secret text, doc jsonb NOT NULL)`;
    await database`INSERT INTO purse_classes (class_name, schema) VALUES ('Old', ${JSON.stringify(old)})`;
    const schema = await store.changeClass("Old", () => ({ ...old, indexes: { byText: { text: 1 } } }));
    await store.write(["b", "a"].map((id) => create(schema, id)));
    const operations = { text: { op: "Set", value: "changed" } } as const;
    await store.write([{ kind: "update", schema, id: "a", at: AT, operations, subjects: null }]);
    expect(await scannedIds(schema)).toEqual(["b", "a"]);
    const indexes =
      await database`SELECT count(*)::int AS count FROM pg_index WHERE indrelid = '"Old"'::regclass`;
    expect(indexes[0]?.count).toBe(5);
  });
});

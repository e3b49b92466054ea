import { compileMatcher, type JsonObject, type JsonValue, type Order, parseWhere } from "@purse/protocol";
import * as fc from "fast-check";
import postgres from "postgres";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { FIELDS, folders, notes, wheres } from "../../../test/permissionScenarios.ts";
import { createDatabase } from "../../../test/postgresDatabase.ts";
import { queryOn, subQueriesOf } from "../../../test/sqliteTables.ts";
import { NIGHTLY } from "../../../test/storeCopies.ts";
import { compileRegex } from "../../core/regex.ts";
import type { ClassSchema } from "../classSchema.ts";
import { openStore } from "../openStore.ts";
import { createStatements, type Statement } from "../sql/statement.ts";
import type { Store, StoreGroup, StoreQuery } from "../store.ts";
import { unboundedDialect } from "./dialect.ts";
import { preparedStatement } from "./preparedStatements.ts";

const AT = "2026-01-01T00:00:00.000Z";
const SCALAR_FIELDS = ["owner", "title", "n", "flag", "due", "folder", "touched"];

/** The random cases of a run; `PURSE_PROPERTY_SEED` chooses others, fast-check prints those that fail. */
const PROPERTY = {
  seed: Number(process.env.PURSE_PROPERTY_SEED ?? 1),
  numRuns: process.env.PURSE_TESTS === "all" ? 20 : 5,
};

let sql: postgres.Sql;
let store: Store;
/** A database with the tables of a store. */
let original: string;

beforeAll(async () => {
  original = await createDatabase();
  await (await openStore({ kind: "postgres", url: original, connections: 1 })).close();
});

beforeEach(async () => {
  const url = await createDatabase(original);
  sql = postgres(url, { max: 2, onnotice: () => undefined });
  store = await openStore({ kind: "postgres", url, connections: 4 });
});

afterEach(async () => {
  await store.close();
  await sql.end();
});

const classOf = (className: string, more: Partial<ClassSchema> = {}): ClassSchema => ({
  className,
  table: className,
  fields: FIELDS,
  classLevelPermissions: {},
  indexes: {},
  ...more,
});

/** The class as a process of an earlier version sees it: it reads fields from the JSON of the objects. */
const withoutColumns = (schema: ClassSchema): ClassSchema => ({ ...schema, columns: {} });

async function insert(schema: ClassSchema, objects: readonly JsonObject[]): Promise<void> {
  await store.write(
    objects.map((object) => ({ kind: "create", schema, id: String(object.objectId), at: AT, object })),
  );
}

const objectOf = (id: string, fields: JsonObject): JsonObject => ({
  objectId: id,
  createdAt: AT,
  updatedAt: AT,
  ...fields,
});

async function find(query: StoreQuery): Promise<JsonObject[]> {
  return (await store.find(query)).map((text): JsonObject => JSON.parse(text));
}

/** The names of the typed columns that a table has. */
async function columnsOf(table: string): Promise<string[]> {
  const rows = await sql`SELECT attname FROM pg_attribute
    WHERE attrelid = ${`"${table}"`}::regclass AND attgenerated = 's' AND NOT attisdropped ORDER BY attname`;
  return rows.map(({ attname }) => attname);
}

describe("typed columns on PostgreSQL", () => {
  it("random conditions find the same random objects by columns, by documents and in memory", async () => {
    const note = await store.changeClass("Note", () => classOf("Note"));
    const folder = await store.changeClass("Folder", () => classOf("Folder"));
    expect(Object.keys(note.columns ?? {}).sort()).toEqual([...SCALAR_FIELDS].sort());
    const property = fc.asyncProperty(
      notes,
      folders,
      fc.array(wheres, { minLength: 30, maxLength: 60 }),
      async (stored, owners, queries) => {
        await store.purge(note);
        await store.purge(folder);
        await insert(note, stored);
        await insert(folder, owners);
        for (const query of queries) {
          const where = parseWhere(query);
          const on = (notes: ClassSchema, folders: ClassSchema) => {
            const subqueries = subQueriesOf(where).map(
              (each) => [each, queryOn(folders, each.where)] as const,
            );
            return queryOn(notes, where, { subqueries: new Map(subqueries) });
          };
          const matches = compileMatcher(where, {
            regex: compileRegex,
            subQuery: (each) => {
              const matchesFolder = compileMatcher(each.where, { regex: compileRegex });
              return owners.filter((object) => matchesFolder(object));
            },
          });
          const expected = stored.filter((object) => matches(object)).map(({ objectId }) => objectId);
          const [byColumns, byDocuments] = await Promise.all([
            find(on(note, folder)),
            find(on(withoutColumns(note), withoutColumns(folder))),
          ]);
          const ids = (objects: JsonObject[]) => objects.map(({ objectId }) => objectId).sort();
          expect(ids(byColumns), JSON.stringify(query)).toEqual([...expected].sort());
          expect(ids(byDocuments), JSON.stringify(query)).toEqual([...expected].sort());
        }
      },
    );
    await fc.assert(property, PROPERTY);
  });

  if (NIGHTLY)
    it("random objects have the same order, groups and distinct values by columns and by documents", async () => {
      const note = await store.changeClass("Note", () => classOf("Note"));
      const fields = fc.constantFrom(...SCALAR_FIELDS);
      const orders = fc.uniqueArray(fc.record({ field: fields, descending: fc.boolean() }), {
        selector: ({ field }) => field,
        minLength: 1,
        maxLength: 3,
      });
      const property = fc.asyncProperty(
        notes,
        fc.array(orders, { minLength: 10, maxLength: 10 }),
        async (stored, keys) => {
          await store.purge(note);
          await insert(note, stored);
          for (const each of keys) {
            const order: Order[] = each.map(({ field, descending }) => ({ path: [field], descending }));
            const paths = each.map(({ field }): [string] => [field]);
            const group: StoreGroup = {
              keys: paths,
              aggregates: [
                { fn: "count" },
                ...(["sum", "avg", "min", "max"] as const).map((fn) => ({ fn, path: ["n"] as [string] })),
              ],
            };
            const [path] = paths;
            if (!path) throw new Error("an order has a field");
            const answers = (schema: ClassSchema) => {
              const query = queryOn(schema, parseWhere({}), { order, limit: 100 });
              const all = queryOn(schema, parseWhere({}));
              return Promise.all([store.find(query), store.group(all, group), store.distinct(all, path)]);
            };
            const [byColumns, byDocuments] = await Promise.all([
              answers(note),
              answers(withoutColumns(note)),
            ]);
            expect(byColumns[0]).toEqual(byDocuments[0]);
            expect(sorted(byColumns[1])).toEqual(sorted(byDocuments[1]));
            expect(sorted(byColumns[2])).toEqual(sorted(byDocuments[2]));
          }
        },
      );
      await fc.assert(property, PROPERTY);
    });

  /** Sorts values without regard to the order of their keys. */
  function sorted(values: readonly unknown[]): unknown[] {
    const text = (value: unknown): string =>
      JSON.stringify(value, (_, each: unknown) =>
        typeof each === "object" && each !== null && !Array.isArray(each)
          ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
          : each,
      );
    return values.map(text).sort();
  }

  it("aggregates and sub-queries on fields with full columns do not read the JSON of objects", async () => {
    const indexes = { byTitle: { title: 1 as const } };
    const note = await store.changeClass("Note", () => classOf("Note", { indexes }));
    const folder = await store.changeClass("Folder", () => classOf("Folder", { indexes }));
    const statements = createStatements(unboundedDialect);
    const where = parseWhere({
      folder: { $inQuery: { className: "Folder", where: { title: { $gt: "a" }, n: 1 } } },
      flag: true,
      due: { $lt: { __type: "Date", iso: AT } },
      owner: { __type: "Pointer", className: "_User", objectId: "ann" },
    });
    const subqueries = new Map(subQueriesOf(where).map((each) => [each, queryOn(folder, each.where)]));
    const keys: StoreGroup["keys"] = [["title"], ["folder"], ["due"], ["flag"]];
    const plan = async ({ sql: text, parameters }: Statement) => {
      const rows = await sql.unsafe(`EXPLAIN (VERBOSE) ${preparedStatement(text).numberedText}`, parameters);
      return rows.map((row) => row["QUERY PLAN"]).join("\n");
    };
    const aggregate = (schema: ClassSchema) =>
      plan(
        statements.group(queryOn(schema, where, { subqueries }), {
          keys,
          aggregates: [{ fn: "sum", path: ["n"] }],
        }),
      );
    expect(await aggregate(note)).not.toMatch(/doc (->|#>)/);
    expect(await aggregate(withoutColumns(note))).toMatch(/doc (->|#>)/);
  });

  it("a field that is added to a small table gets a column, and so do earlier fields that lack one", async () => {
    const first = await store.changeClass("Sale", () =>
      classOf("Sale", { fields: { n: { type: "Number" } } }),
    );
    await insert(first, [objectOf("a", { n: 1 }), objectOf("b", { n: 2, title: "x" })]);
    await sql.unsafe(`ALTER TABLE "Sale" DROP COLUMN "n:Number"`);
    const next = await store.changeClass("Sale", (current) => ({
      ...classOf("Sale"),
      ...current,
      fields: { n: { type: "Number" }, title: { type: "String" } },
    }));
    expect(next.columns).toEqual({
      n: { name: "n:Number", type: "Number" },
      title: { name: "title:String256", type: "String", isPartial: true },
    });
    expect(await store.loadClasses("Sale")).toEqual([next]);
    expect(await find(queryOn(next, parseWhere({ n: 2, title: "x" })))).toMatchObject([{ objectId: "b" }]);
  });

  it("a field that is added to a large table has no column until addColumns(), which also renews its index", async () => {
    const first = await store.changeClass("Sale", () => classOf("Sale", { fields: {} }));
    await sql.unsafe(
      `INSERT INTO "Sale" (id, created_at, updated_at, doc) SELECT 's' || n, '${AT}', '${AT}',
       jsonb_build_object('objectId', 's' || n, 'n', n, 'note', repeat(md5(n::text), 32)) FROM generate_series(1, 10000) n`,
    );
    const grown = await store.changeClass("Sale", () => ({ ...first, fields: { n: { type: "Number" } } }));
    expect(grown.columns).toEqual({});
    expect(await columnsOf("Sale")).toEqual([]);
    await sql.unsafe(`CREATE INDEX "Sale/index/byN" ON "Sale" ((doc -> 'n'))`);
    const indexed: ClassSchema = { ...grown, indexes: { byN: { n: 1 } } };
    await sql`UPDATE purse_classes SET schema = ${JSON.stringify(indexed)} WHERE class_name = 'Sale'`;
    const added = await store.addColumns?.("Sale");
    expect(added?.columns).toEqual({ n: { name: "n:Number", type: "Number" } });
    const [index] = await sql`SELECT indexdef FROM pg_indexes WHERE indexname = 'Sale/index/byN'`;
    expect(index?.indexdef).toContain(`("n:Number" NULLS FIRST)`);
    if (!added) throw new Error("the class is missing");
    expect(await find(queryOn(added, parseWhere({ n: 7_000 })))).toMatchObject([{ objectId: "s7000" }]);
  });

  it("addColumns() of a class that does not exist resolves with undefined", async () => {
    expect(await store.addColumns?.("Missing")).toBeUndefined();
  });

  it("a field is added without a column while a long query reads the table", async () => {
    const first = await store.changeClass("Sale", () => classOf("Sale", { fields: {} }));
    await sql.begin(async (reader) => {
      await reader`SELECT count(*) FROM "Sale"`;
      const next = await store.changeClass("Sale", () => ({ ...first, fields: { n: { type: "Number" } } }));
      expect(next.columns).toEqual({});
    });
    const later = await store.changeClass("Sale", () => ({
      ...first,
      fields: { n: { type: "Number" }, title: { type: "String" } },
    }));
    expect(Object.keys(later.columns ?? {})).toEqual(["n", "title"]);
  });

  it("a process of an earlier version may delete a field and add it with another type", async () => {
    const first = await store.changeClass("Sale", () =>
      classOf("Sale", { fields: { n: { type: "Number" } } }),
    );
    await insert(first, [objectOf("a", { n: 1 })]);
    // What such a process does: it keeps properties of the schema that it does not know, and adds no columns.
    const changed: ClassSchema = { ...first, fields: { n: { type: "String" } } };
    await sql`UPDATE "Sale" SET doc = doc - 'n'`;
    await sql`UPDATE purse_classes SET schema = ${JSON.stringify(changed)} WHERE class_name = 'Sale'`;
    await insert(changed, [objectOf("b", { n: "one" })]);
    const [loaded] = await store.loadClasses("Sale");
    if (!loaded) throw new Error("the class is missing");
    expect(await find(queryOn(loaded, parseWhere({ n: "one" })))).toMatchObject([{ objectId: "b" }]);
    const next = await store.changeClass("Sale", () => ({ ...loaded, classLevelPermissions: { find: {} } }));
    expect(next.columns).toEqual({ n: { name: "n:String256", type: "String", isPartial: true } });
    expect(await find(queryOn(next, parseWhere({ n: "one" })))).toMatchObject([{ objectId: "b" }]);
  });

  it("the column of a deleted field remains for other processes, and a new field of the same type uses it", async () => {
    const first = await store.changeClass("Sale", () =>
      classOf("Sale", { fields: { n: { type: "Number" } } }),
    );
    await insert(first, [objectOf("a", { n: 1 })]);
    const next = await store.changeClass("Sale", () => ({ ...first, fields: {} }));
    expect(next.columns).toEqual({});
    expect(await find(queryOn(first, parseWhere({ n: 1 })))).toEqual([]);
    const again = await store.changeClass("Sale", () => first);
    expect(again.columns).toEqual(first.columns);
  });

  it("a table has at most 20 columns, with indexed fields first", async () => {
    const names = Array.from({ length: 60 }, (_, n) => `f${n}`);
    const fields = Object.fromEntries(names.map((name) => [name, { type: "String" as const }]));
    const schema = await store.changeClass("Wide", () =>
      classOf("Wide", { fields, indexes: { last: { f59: 1 } } }),
    );
    expect(await columnsOf("Wide")).toHaveLength(20);
    expect(schema.columns).toHaveProperty("f59");
    await insert(schema, [objectOf("a", Object.fromEntries(names.map((name) => [name, "x".repeat(2_000)])))]);
    expect(
      await find(queryOn(schema, parseWhere({ f0: "x".repeat(2_000), f58: { $ne: "y" } }))),
    ).toHaveLength(1);
  });

  it("values that a typed column cannot contain are stored, and the columns are NULL", async () => {
    const schema = await store.changeClass("Note", () => classOf("Note"));
    const values: JsonValue[] = [null, {}, [], "text", 1, true, { __type: "Date" }, { objectId: 1 }];
    await insert(
      schema,
      values.map((value, n) =>
        objectOf(`o${n}`, Object.fromEntries(SCALAR_FIELDS.map((field) => [field, value]))),
      ),
    );
    const [row] =
      await sql`SELECT "n:Number" AS n, "flag:Boolean" AS flag, "due:Date" AS due, "owner:Pointer" AS owner
    FROM "Note" WHERE id = 'o3'`;
    expect(row).toEqual({ n: null, flag: null, due: null, owner: null });
  });

  it("fields with long names and long strings have columns", async () => {
    const [a, b] = ["a", "b"].map((letter) => `${"x".repeat(100)}${letter}`);
    if (a === undefined || b === undefined) throw new Error("two names are needed");
    const schema = await store.changeClass("Long", () =>
      classOf("Long", {
        fields: { [a]: { type: "String" }, [b]: { type: "String" }, n: { type: "Number" } },
        indexes: { byNumber: { n: 1 } },
      }),
    );
    const long = Array.from({ length: 20_000 }, (_, n) => n.toString(36)).join(" ");
    await insert(schema, [objectOf("a", { [a]: long }), objectOf("b", { [b]: long })]);
    expect(await find(queryOn(schema, parseWhere({ [b]: long })))).toMatchObject([{ objectId: "b" }]);
    expect(await find(queryOn(schema, parseWhere({ [b]: { $gt: "0" } })))).toMatchObject([{ objectId: "b" }]);
    expect(await find(queryOn(schema, parseWhere({ [b]: { $regex: "zz$" } })))).toEqual([]);
    expect(await store.distinct(queryOn(schema, parseWhere({})), [a])).toEqual([long]);
    expect(await columnsOf("Long")).toHaveLength(3);
    const [size] =
      await sql`SELECT length((to_jsonb("Long") - 'doc')::text) < 1000 AS is_short FROM "Long" WHERE id = 'a'`;
    expect(size?.is_short).toBe(true);
  });

  it.each(["a'b", "a?b", "a\\'; SELECT 1 --"])(
    "pointers to a class named %j are read from the objects",
    async (name) => {
      const schema = await store.changeClass("Odd", () =>
        classOf("Odd", { fields: { to: { type: "Pointer", targetClass: name } } }),
      );
      const to = { __type: "Pointer", className: name, objectId: "x" };
      await insert(schema, [objectOf("a", { to }), objectOf("b", {})]);
      expect(await find(queryOn(schema, parseWhere({ to })))).toMatchObject([{ objectId: "a" }]);
      const groups = await store.group(queryOn(schema, parseWhere({})), {
        keys: [["to"]],
        aggregates: [{ fn: "count" }],
      });
      expect(groups).toContainEqual({ keys: [to], aggregates: [1] });
      expect(await store.distinct(queryOn(schema, parseWhere({})), ["to"])).toEqual([to]);
    },
  );

  it("a string field gets a full column once it is indexed, and addColumns() drops the earlier one later", async () => {
    const first = await store.changeClass("Sale", () =>
      classOf("Sale", { fields: { title: { type: "String" } } }),
    );
    const long = "y".repeat(1_000);
    await insert(first, [objectOf("a", { title: "x" }), objectOf("b", { title: long })]);
    const next = await store.changeClass("Sale", () => ({ ...first, indexes: { byTitle: { title: 1 } } }));
    expect(next.columns).toEqual({ title: { name: "title:String", type: "String" } });
    for (const schema of [first, next]) {
      expect(await find(queryOn(schema, parseWhere({ title: long })))).toMatchObject([{ objectId: "b" }]);
    }
    expect(await columnsOf("Sale")).toEqual(["title:String", "title:String256"]);
    expect(await store.addColumns?.("Sale")).toEqual(next);
    expect(await columnsOf("Sale")).toEqual(["title:String"]);
    const [index] = await sql`SELECT indexdef FROM pg_indexes WHERE indexname = 'Sale/index/byTitle'`;
    expect(index?.indexdef).toContain(`("title:String" NULLS FIRST)`);
  });

  it("an index that is added to a table of some size gives its string field a full column", async () => {
    const first = await store.changeClass("Sale", () =>
      classOf("Sale", { fields: { title: { type: "String" } } }),
    );
    await fillTitles(10_000);
    const next = await store.changeClass("Sale", () => ({ ...first, indexes: { byTitle: { title: 1 } } }));
    expect(next.columns).toEqual({ title: { name: "title:String", type: "String" } });
  });

  /** Stores sales of about 1 KB. */
  async function fillTitles(count: number): Promise<void> {
    await sql.unsafe(
      `INSERT INTO "Sale" (id, created_at, updated_at, doc) SELECT 's' || n, '${AT}', '${AT}',
       jsonb_build_object('objectId', 's' || n, 'title', repeat(md5(n::text), 32)) FROM generate_series(1, ${count}) n`,
    );
  }

  if (NIGHTLY)
    it("an index on a string field of a large table is used although the column is partial", async () => {
      const first = await store.changeClass("Sale", () =>
        classOf("Sale", { fields: { title: { type: "String" } } }),
      );
      await fillTitles(40_000);
      const indexed = await store.changeClass("Sale", () => ({
        ...first,
        indexes: { byTitle: { title: 1 } },
      }));
      expect(indexed.columns).toEqual(first.columns);
      await sql`ANALYZE "Sale"`;
      const plan = JSON.stringify(await store.explain(queryOn(indexed, parseWhere({ title: "x" }))));
      expect(plan).toContain("Sale/index/byTitle");
    });

  it("conditions on strings of any length find the same objects as in memory", async () => {
    const schema = await store.changeClass("Note", () => classOf("Note"));
    const texts = [
      "",
      "a",
      "b",
      "é",
      "a".repeat(256),
      "a".repeat(257),
      "é".repeat(128),
      `${"é".repeat(128)}a`,
    ];
    const longer = texts.map((text) => `${text}${"z".repeat(300)}`);
    const values: JsonValue[] = [...texts, ...longer, null];
    const objects = [...values.map((title, n) => objectOf(`o${n}`, { title })), objectOf("missing", {})];
    await insert(schema, objects);
    const conditions = values.flatMap((value): JsonObject[] => [
      { $eq: value },
      { $ne: value },
      { $in: [value, "b"] },
      { $nin: [value, null] },
      ...(value === null ? [] : [{ $lt: value }, { $lte: value }, { $gt: value }, { $gte: value }]),
    ]);
    conditions.push({ $exists: true }, { $exists: false }, { $regex: "z$" }, { $regex: "^\\Qaaa\\E" });
    for (const title of conditions) {
      const where = parseWhere({ title });
      const matches = compileMatcher(where, { regex: compileRegex });
      const expected = objects.filter((object) => matches(object)).map(({ objectId }) => objectId);
      const found = await find(queryOn(schema, where));
      expect(found.map(({ objectId }) => objectId).sort(), JSON.stringify(title)).toEqual(expected.sort());
    }
  });
});

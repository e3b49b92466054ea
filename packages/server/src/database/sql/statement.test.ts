import { type JsonObject, type Order, parseOrder, parseWhere } from "@purse/protocol";
import { describe, expect, it } from "vitest";
import { openSqliteTables, queryOn } from "../../../test/sqliteTables.ts";
import type { ClassSchema } from "../classSchema.ts";
import { sqliteDialect } from "../sqlite/dialect.ts";
import { createStatements } from "./statement.ts";

const schema: ClassSchema = {
  className: "Note",
  table: 'No"te',
  fields: {
    title: { type: "String" },
    n: { type: "Number" },
    tags: { type: "Array" },
    data: { type: "Object" },
    place: { type: "GeoPoint" },
    author: { type: "Pointer", targetClass: "_User" },
  },
  classLevelPermissions: {},
  indexes: { search: { title: "text" } },
};

const note = (objectId: string, values: JsonObject): JsonObject => ({
  objectId,
  createdAt: `2026-01-01T00:00:00.00${objectId.slice(1)}Z`,
  updatedAt: "2026-01-01T00:00:00.000Z",
  ...values,
});

const place = (latitude: number): JsonObject => ({ __type: "GeoPoint", latitude, longitude: 0 });
const author = (objectId: string): JsonObject => ({ __type: "Pointer", className: "_User", objectId });

const tables = openSqliteTables();
tables.insert(schema, [
  note("n1", { title: "b", n: 2, place: place(3), author: author("u1") }),
  note("n2", { title: "a", n: 2, place: place(1), ACL: { ann: { read: true } } }),
  note("n3", {
    title: "a coffee, a tea",
    n: 1,
    place: place(2),
    ACL: { "role:staff": { read: true, write: true } },
  }),
  note("n4", { ACL: { ann: { write: true }, "role:a": { read: true }, "role:b": { read: true } } }),
  note("n5", { title: "coffee", n: 5, ACL: {}, author: author("u2") }),
]);
const EVERYTHING = parseWhere({});
const all = (order: string | Order[] = []) =>
  queryOn(schema, EVERYTHING, { order: typeof order === "string" ? parseOrder(order) : order });

describe("find", () => {
  it.each<[string, readonly string[] | null, string[]]>([
    ["with ACLs bypassed", null, ["n1", "n2", "n3", "n4", "n5"]],
    ["for clients without subjects", [], ["n1"]],
    ["for a user", ["ann"], ["n1", "n2"]],
    ["for a role", ["role:b"], ["n1", "n4"]],
    ["for three subjects", ["ann", "role:staff", "role:a"], ["n1", "n2", "n3", "n4"]],
    ["for more subjects, none of which is named", ["bob", "role:c", "role:d", "role:e"], ["n1"]],
    ["for more subjects, one of which is named alone", ["bob", "ann", "role:d", "role:e"], ["n1", "n2"]],
    [
      "for more subjects, one of which is named among others",
      ["bob", "role:b", "role:d", "role:e"],
      ["n1", "n4"],
    ],
    ["for subjects that only begin or end alike", ["an", "nn", "role:staf", "staff"], ["n1"]],
  ])("returns the readable objects %s", (_name, subjects, expected) => {
    const query = queryOn(schema, EVERYTHING, { subjects });
    expect(tables.findIds(query).sort()).toEqual(expected);
    expect(tables.run(tables.statements.count(query))).toEqual([expected.length]);
    const found = ["n1", "n2", "n3", "n4", "n5"].filter(
      (id) => tables.run(tables.statements.get(schema, id, subjects)).length > 0,
    );
    expect(found).toEqual(expected);
  });

  it.each([
    ["title", ["n4", "n2", "n3", "n1", "n5"]],
    ["-title", ["n5", "n1", "n3", "n2", "n4"]],
    ["n", ["n4", "n3", "n1", "n2", "n5"]],
    ["-n", ["n5", "n2", "n1", "n3", "n4"]],
    ["n,-title", ["n4", "n3", "n1", "n2", "n5"]],
    ["-n,title", ["n5", "n2", "n1", "n3", "n4"]],
    ["-createdAt", ["n5", "n4", "n3", "n2", "n1"]],
    ["objectId", ["n1", "n2", "n3", "n4", "n5"]],
    ["-author,objectId", ["n5", "n1", "n2", "n3", "n4"]],
  ])("sorts by %s, ties by insertion in the direction of the last key", (order, expected) => {
    expect(tables.findIds({ ...all(order), limit: 10 })).toEqual(expected);
  });

  it("returns a page", () => {
    expect(tables.findIds({ ...all("objectId"), limit: 2, skip: 1 })).toEqual(["n2", "n3"]);
    expect(tables.findIds({ ...all("objectId"), skip: 3 })).toEqual(["n4", "n5"]);
    expect(tables.findIds({ ...all("objectId"), limit: 0 })).toEqual([]);
  });

  it("sorts by distance unless there is an order", () => {
    const point = { __type: "GeoPoint", latitude: 0, longitude: 0 };
    const near = parseWhere({ place: { $nearSphere: point } });
    expect(tables.findIds(queryOn(schema, near, { limit: 10 }))).toEqual(["n2", "n3", "n1"]);
    const circle = parseWhere({ n: { $gt: 0 }, place: { $geoWithin: { $centerSphere: [[0, 0], 1] } } });
    expect(tables.findIds(queryOn(schema, circle, { limit: 2 }))).toEqual(["n2", "n3"]);
    const ordered = queryOn(schema, near, { limit: 10, order: parseOrder("-title") });
    expect(tables.findIds(ordered)).toEqual(["n1", "n3", "n2"]);
    const either = parseWhere({ $or: [{ place: { $nearSphere: point } }, { n: 5 }] });
    expect(tables.findIds(queryOn(schema, either, { limit: 10 }))).toEqual(["n1", "n2", "n3", "n5"]);
  });

  it("adds the score of a text search and sorts by it", () => {
    const where = parseWhere({ title: { $text: { $search: { $term: "coffee" } } } });
    const order: Order[] = [{ path: ["$score"], descending: true, score: true }];
    const query = queryOn(schema, where, { limit: 10, order, includeScore: true });
    const found = tables
      .run(tables.statements.find(query))
      .map((text): JsonObject => JSON.parse(String(text)));
    expect(found.map(({ objectId }) => objectId)).toEqual(["n5", "n3"]);
    expect(Number(found[0]?.score)).toBeGreaterThan(Number(found[1]?.score));
    expect(tables.findIds({ ...query, includeScore: false })).toEqual(["n5", "n3"]);
  });

  it("throws 102 for more than 20 conditions on the items of arrays, also across sub-queries", () => {
    const tests = (count: number) =>
      parseWhere({ $or: Array.from({ length: count }, (_, n) => ({ tags: n })) });
    expect(tables.findIds(queryOn(schema, tests(20)))).toEqual([]);
    expect(() => tables.findIds(queryOn(schema, tests(21)))).toThrow(
      expect.objectContaining({
        code: 102,
        message: "a where can hold 20 conditions on the items of arrays at most",
      }),
    );
  });

  it.each([
    ["a whole array", { tags: { $containedBy: [1] } }, 1],
    ["values", { tags: { $all: ["a", 1] } }, 1],
    ["values and others", { tags: { $all: ["a", 1, true, { k: 1 }] } }, 3],
    ["others", { tags: { $all: [true, false] } }, 2],
    ["patterns", { tags: { $all: [{ $regex: "a" }, { $regex: "b" }] } }, 2],
    ["existence", { tags: { $exists: true } }, 0],
    ["a field that is not an array", { title: "a" }, 0],
    ["values on a path through an array", { "tags.k": "a" }, 1],
    ["existence on a path through an array", { "tags.k": { $exists: true } }, 1],
    ["null or values on a path through an array", { "tags.k": { $in: [null, 1] } }, 2],
    ["values on a path that may run through an array", { "data.a.b": { $ne: 1 } }, 1],
    ["a key of an object", { "data.a": "a" }, 0],
    ["an item by its index", { "tags.0": "a" }, 0],
    ["contents of a field that is not an array", { title: { $containedBy: ["a"] } }, 1],
  ])("counts conditions on the items of arrays: %s", (_name, condition, cost) => {
    const isAccepted = (count: number) => {
      const where = parseWhere({ $or: Array.from({ length: count }, () => condition) });
      try {
        tables.statements.find(queryOn(schema, where));
        return true;
      } catch {
        return false;
      }
    };
    const most = cost === 0 ? 100 : Math.floor(20 / cost);
    expect(isAccepted(most)).toBe(true);
    expect(isAccepted(most + 1)).toBe(cost === 0);
  });
});

describe("distinct", () => {
  it("returns each value of a field once, as JSON", () => {
    expect(tables.run(tables.statements.distinct(all(), ["n"])).sort()).toEqual(["1", "2", "5"]);
    expect(tables.run(tables.statements.distinct(all(), ["objectId"])).sort()).toEqual(
      ["n1", "n2", "n3", "n4", "n5"].map((id) => `"${id}"`),
    );
  });
});

describe("group", () => {
  const rows = (keys: [string][], aggregates: Parameters<typeof tables.statements.group>[1]["aggregates"]) =>
    tables
      .run(tables.statements.group(all(), { keys, aggregates }))
      .map((text) => JSON.parse(String(text)))
      .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

  it("aggregates all objects without keys", () => {
    expect(rows([], [{ fn: "count" }, { fn: "sum", path: ["n"] }, { fn: "max", path: ["n"] }])).toEqual([
      [5, 10, 5],
    ]);
  });

  it("groups by numbers, columns and other values; missing values are one group", () => {
    expect(rows([["n"]], [{ fn: "count" }])).toEqual([
      [1, 1],
      [2, 2],
      [5, 1],
      [null, 1],
    ]);
    expect(rows([["updatedAt"]], [{ fn: "avg", path: ["n"] }])).toEqual([["2026-01-01T00:00:00.000Z", 2.5]]);
    expect(rows([["author"]], [{ fn: "count" }])).toEqual([
      [null, 3],
      [author("u1"), 1],
      [author("u2"), 1],
    ]);
  });

  it("marks the groups of missing values if null is another group", () => {
    const texts = tables.run(
      tables.statements.group(all(), { keys: [["n"]], aggregates: [{ fn: "count" }], marksMissing: true }),
    );
    expect(texts.map(String).sort()).toEqual(["[1,0,1]", "[2,0,2]", "[5,0,1]", "[null,1,1]"]);
  });
});

describe("the text of statements", () => {
  it("is compiled once for each shape", () => {
    const statements = createStatements(sqliteDialect);
    const find = (where: JsonObject, others = {}) =>
      statements.find(queryOn(schema, parseWhere(where), others));
    const first = find({ title: "a" });
    expect(find({ title: "b" }).sql).toBe(first.sql);
    expect(find({ title: "b" }).parameters).toEqual(["b"]);
    const shapes = [
      first,
      find({ title: 1 }),
      find({ n: "a" }),
      find({ title: { $ne: "a" } }),
      find({ title: { $in: ["a"] } }),
      find({ title: "a" }, { subjects: [] }),
      find({ title: "a" }, { subjects: ["ann"] }),
      find({ title: "a" }, { subjects: ["a", "b", "c", "d"] }),
      find({ title: "a" }, { limit: 1 }),
      find({ title: "a" }, { limit: 1, order: parseOrder("n") }),
      find({ title: "a" }, { limit: 1, order: parseOrder("-n") }),
      statements.count(queryOn(schema, parseWhere({ title: "a" }))),
      statements.get(schema, "a", null),
      statements.get(schema, "a", []),
    ];
    expect(new Set(shapes.map(({ sql }) => sql)).size).toBe(shapes.length);
  });

  it("reads no array for a key of an object or an item by its index", () => {
    const { sql } = tables.statements.find(queryOn(schema, parseWhere({ "data.a": "x", "tags.0": "x" })));
    expect(sql).not.toContain("json_each");
  });

  it("differs between conditions that match nothing with and without parameters", () => {
    const near = (others: JsonObject) =>
      parseWhere({ title: { $nearSphere: { __type: "GeoPoint", latitude: 0, longitude: 0 }, ...others } });
    expect(tables.findIds(queryOn(schema, near({})))).toEqual([]);
    expect(tables.findIds(queryOn(schema, near({ $maxDistance: 1 })))).toEqual([]);
  });

  it("stays correct when the cache is full", () => {
    const statements = createStatements(sqliteDialect, 2);
    for (const field of ["a", "b", "c", "d", "a"]) {
      expect(statements.find(queryOn(schema, parseWhere({ [field]: { $exists: true } }))).sql).toContain(
        `$.${field}`,
      );
    }
  });
});

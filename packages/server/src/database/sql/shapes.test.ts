import { type Condition, type JsonObject, type Order, parseOrder, parseWhere } from "@purse/protocol";
import { expect, it } from "vitest";
import { queryOn, subQueriesOf } from "../../../test/sqliteTables.ts";
import type { ClassSchema } from "../classSchema.ts";
import { sqliteDialect } from "../sqlite/dialect.ts";
import type { StoreQuery } from "../store.ts";
import { createStatements } from "./statement.ts";

const schemaOf = (className: string): ClassSchema => ({
  className,
  table: className,
  fields: {
    title: { type: "String" },
    n: { type: "Number" },
    flag: { type: "Boolean" },
    due: { type: "Date" },
    tags: { type: "Array" },
    other: { type: "Array" },
    details: { type: "Object" },
    folder: { type: "Pointer", targetClass: "Folder" },
    place: { type: "GeoPoint" },
    home: { type: "GeoPoint" },
    area: { type: "Polygon" },
    related: { type: "Relation", targetClass: "Folder" },
    second: { type: "Relation", targetClass: "Folder" },
  },
  classLevelPermissions: {},
  indexes: { search: { title: "text" } },
});
const [note, folder, box] = ["Note", "Folder", "Box"].map(schemaOf);
const point = { __type: "GeoPoint", latitude: 1, longitude: 2 };
const pointer = (className: string) => ({ __type: "Pointer", className, objectId: "a" });
const date = { __type: "Date", iso: "2026-01-01T00:00:00.000Z" };
const file = { __type: "File", name: "a.png" };
const corners = [point, { ...point, latitude: 3 }, { ...point, longitude: 4 }];
const search = (term: object) => ({ title: { $text: { $search: { $term: "a", ...term } } } });

const FIELD_CONDITIONS: JsonObject[] = [
  ...["a", 1, true, date, file, pointer("Folder"), { k: 1 }, ["a"]].flatMap((value): JsonObject[] => [
    { $eq: value },
    { $ne: value },
    { $lt: value },
    { $lte: value },
    { $gt: value },
    { $gte: value },
    { $in: [value] },
    { $in: [value, null] },
    { $nin: [value] },
    { $all: [value] },
    { $all: [value, { k: 2 }] },
    { $containedBy: [value] },
    { $containedBy: [value, null] },
  ]),
  { $eq: null },
  { $ne: null },
  { $in: [] },
  { $in: [null] },
  { $exists: true },
  { $exists: false },
  { $regex: "a" },
  { $regex: "^\\Qa\\E" },
  { $regex: "^\\Qa\\E$" },
  { $regex: "^\\Q\\E" },
  { $regex: "^\\Qa\\E", $options: "i" },
  { $all: [{ $regex: "a" }] },
  { $all: [{ $regex: "a" }, { $regex: "b" }] },
  { $nearSphere: point },
  { $nearSphere: point, $maxDistance: 1 },
  { $within: { $box: [point, { ...point, latitude: 3 }] } },
  { $geoWithin: { $centerSphere: [[1, 2], 1] } },
  { $geoWithin: { $polygon: corners } },
  { $geoIntersects: { $point: point } },
  ...["Folder", "Box"].flatMap((className): JsonObject[] => [
    { $inQuery: { className, where: {} } },
    { $inQuery: { className, where: { n: 1 } } },
    { $notInQuery: { className, where: {} } },
    { $select: { key: "title", query: { className, where: {} } } },
    { $select: { key: "n", query: { className, where: {} } } },
    { $select: { key: "objectId", query: { className, where: {} } } },
    { $dontSelect: { key: "title", query: { className, where: {} } } },
  ]),
];

const PATHS = ["title", "n", "flag", "due", "tags", "other", "folder", "place", "home", "area", "related"];
const WHERES: JsonObject[] = [
  {},
  ...[
    ...[...PATHS, "second", "objectId", "createdAt", "data.a", "data.b"],
    ...[
      "tags.a",
      "tags.a.b",
      "tags.0.a",
      "other.a",
      "details.a",
      "details.a.b",
      "details.a.c",
      "details.a.0",
    ],
  ].flatMap((path) => FIELD_CONDITIONS.map((condition) => ({ [path]: condition }))),
  { $relatedTo: { object: pointer("Note"), key: "related" } },
  { $or: [{ title: "a" }, { n: 1 }] },
  { $and: [{ title: "a" }, { n: 1 }] },
  { $nor: [{ title: "a" }, { n: 1 }] },
  { $nor: [{ title: "a" }] },
  search({}),
  search({ $language: "spanish" }),
  search({ $caseSensitive: true }),
];

function subQueries(where: Condition, found: boolean): NonNullable<StoreQuery["subqueries"]> {
  const queries = new Map<Parameters<NonNullable<StoreQuery["subqueries"]>["get"]>[0], StoreQuery>();
  if (!found) return queries;
  for (const query of subQueriesOf(where)) {
    const schema = query.className === "Folder" ? folder : box;
    if (schema) queries.set(query, queryOn(schema, query.where));
  }
  return queries;
}

function* queries(schema: ClassSchema): Generator<StoreQuery> {
  for (const each of WHERES) {
    const where = parseWhere(each);
    yield queryOn(schema, where, { subqueries: subQueries(where, true), limit: 1 });
    if (subQueriesOf(where).length > 0)
      yield queryOn(schema, where, { subqueries: subQueries(where, false) });
  }
  yield queryOn(schema, parseWhere({}));
  const related = parseWhere({ $relatedTo: { object: pointer("Note"), key: "related" } });
  for (const owner of [folder, box]) {
    const subqueries = new Map(owner && [[related, queryOn(owner, parseWhere({}))]]);
    yield queryOn(schema, related, { subqueries });
  }
  for (const subjects of [null, [], ["a"], ["a", "b"], ["a", "b", "c", "d"]]) {
    yield queryOn(schema, parseWhere({}), { subjects });
  }
  for (const order of ["title", "-title", "n", "title,n", "title,-n", "data.a", "data.b", "createdAt"]) {
    yield queryOn(schema, parseWhere({}), { order: parseOrder(order), limit: 1 });
  }
  const order: Order[] = [{ path: ["$score"], descending: true, score: true }];
  for (const includeScore of [true, false]) {
    yield queryOn(schema, parseWhere(search({})), { includeScore, limit: 1, order });
    yield queryOn(schema, parseWhere({}), { includeScore, limit: 1, order });
  }
}

it("a cached statement has the SQL of its query, because no other query has the same shape", () => {
  const statements = createStatements(sqliteDialect, 100_000);
  for (const query of note ? queries(note) : []) {
    expect(statements.find(query), JSON.stringify(query.where)).toEqual(
      createStatements(sqliteDialect).find(query),
    );
  }
});

it("the SQL of a statement has one placeholder for each parameter", () => {
  const statements = createStatements(sqliteDialect);
  for (const query of note ? queries(note) : []) {
    const { sql, parameters } = statements.find(query);
    expect(sql.split("?").length - 1, JSON.stringify(query.where)).toBe(parameters.length);
  }
});

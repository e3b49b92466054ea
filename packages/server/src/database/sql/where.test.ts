import { type Condition, compileMatcher, type JsonObject, type JsonValue, parseWhere } from "@purse/protocol";
import { describe, expect, it } from "vitest";
import { openSqliteTables, queryOn, subQueriesOf } from "../../../test/sqliteTables.ts";
import { compileRegex } from "../../core/regex.ts";
import type { ClassSchema } from "../classSchema.ts";
import type { StoreQuery } from "../store.ts";

const AT = "2026-01-01T00:00:00.000Z";
const date = (iso: string): JsonObject => ({ __type: "Date", iso });
const pointer = (className: string, objectId: string): JsonObject => ({
  __type: "Pointer",
  className,
  objectId,
});
const point = (latitude: number, longitude: number): JsonObject => ({
  __type: "GeoPoint",
  latitude,
  longitude,
});
const file = (name: string): JsonObject => ({ __type: "File", name });
const square = {
  __type: "Polygon",
  coordinates: [
    [0, 0],
    [0, 10],
    [10, 10],
    [10, 0],
    [0, 0],
  ],
};

const folders: ClassSchema = {
  className: "Folder",
  table: "Folder",
  fields: { name: { type: "String" }, size: { type: "Number" } },
  classLevelPermissions: {},
  indexes: {},
};

const notes: ClassSchema = {
  className: "Note",
  table: "Note",
  fields: {
    title: { type: "String" },
    n: { type: "Number" },
    flag: { type: "Boolean" },
    due: { type: "Date" },
    tags: { type: "Array" },
    data: { type: "Object" },
    folder: { type: "Pointer", targetClass: "Folder" },
    anything: { type: "Pointer", targetClass: "*" },
    picture: { type: "File" },
    place: { type: "GeoPoint" },
    area: { type: "Polygon" },
    related: { type: "Relation", targetClass: "Folder" },
  },
  classLevelPermissions: {},
  indexes: { search: { title: "text" }, byFolder: { folder: 1 } },
};

/** One object per field, so that the result of a condition shows which values it matches. */
const OBJECTS: Record<string, JsonObject> = {
  apple: { title: "Apple", n: 1, flag: true, due: date("2026-01-01T00:00:00.000Z") },
  pear: { title: "pear", n: 2.5, flag: false, due: date("2026-02-01T00:00:00.000Z") },
  empty: {},
  nulls: { title: null, n: null, tags: null, data: null },
  texts: { tags: ["x", "apple", "y"] },
  mixed: { tags: [1, true, null, date(AT), pointer("Folder", "f1"), { k: 1 }, file("a.png")] },
  none: { tags: [] },
  nested: { data: { a: "x", list: ["x", 1], deep: { b: 2 } } },
  inner: { data: { a: 1, list: [{ k: 1 }] } },
  first: { folder: pointer("Folder", "f1"), anything: pointer("Folder", "f1") },
  second: { folder: pointer("Folder", "f2"), anything: pointer("Other", "f1") },
  picture: { picture: file("a.png") },
  zurich: { place: point(47.4, 8.5), area: square },
  bern: { place: point(46.9, 7.4) },
  truth: { tags: [true, "true", ["x"]] },
  fake: { tags: [{ className: "Folder", objectId: "f1" }, { iso: AT }, { name: "a.png" }, "true", "1"] },
};

const stored = Object.entries(OBJECTS).map(
  ([objectId, values], index): JsonObject => ({
    objectId,
    createdAt: `2026-01-0${Math.min(index + 1, 9)}T00:00:00.000Z`,
    updatedAt: AT,
    ...values,
  }),
);
const storedFolders = [
  { objectId: "f1", createdAt: AT, updatedAt: AT, name: "Apple", size: 1 },
  { objectId: "f2", createdAt: AT, updatedAt: AT, name: "other", size: 2.5 },
];

const tables = openSqliteTables();
tables.insert(notes, stored);
tables.insert(folders, storedFolders);
tables.relate(notes, "related", "apple", "f1");
tables.relate(notes, "related", "pear", "f1");
tables.relate(notes, "related", "pear", "f2");
tables.relate(notes, "other", "texts", "f1");

function subQueries(where: Condition): NonNullable<StoreQuery["subqueries"]> {
  return new Map(subQueriesOf(where).map((query) => [query, queryOn(folders, query.where)]));
}

/** The IDs of the objects that SQL finds, in alphabetical order. */
function find(where: JsonValue, subqueries?: StoreQuery["subqueries"]): string[] {
  const condition = parseWhere(where);
  const query = queryOn(notes, condition, { subqueries: subqueries ?? subQueries(condition) });
  return tables.findIds(query).sort();
}

/** The same, in memory. */
function match(where: JsonValue): string[] {
  const condition = parseWhere(where);
  const matches = compileMatcher(condition, {
    regex: compileRegex,
    subQuery: (query) => {
      const matchesFolder = compileMatcher(query.where, { regex: compileRegex });
      return storedFolders.filter((folder) => matchesFolder(folder));
    },
  });
  return stored
    .filter(matches)
    .map(({ objectId }) => String(objectId))
    .sort();
}

const except = (...ids: string[]) => Object.keys(OBJECTS).filter((id) => !ids.includes(id));
const folderQuery = (where: JsonObject = {}) => ({ className: "Folder", where });

describe("a where finds the same objects in SQL and in memory", () => {
  it.each<[string, JsonObject, string[]]>([
    ["no condition", {}, except()],
    ["text", { title: "Apple" }, ["apple"]],
    ["text in another case", { title: "apple" }, []],
    ["a number", { n: 2.5 }, ["pear"]],
    ["a number as text", { n: "1" }, []],
    ["text as a number", { title: 1 }, []],
    ["a boolean", { flag: true }, ["apple"]],
    ["the other boolean", { flag: false }, ["pear"]],
    ["a boolean as a number", { flag: 1 }, []],
    ["a date", { due: date("2026-02-01T01:00:00+01:00") }, ["pear"]],
    ["a file", { picture: file("a.png") }, ["picture"]],
    ["null", { title: null }, except("apple", "pear")],
    ["an id", { objectId: "apple" }, ["apple"]],
    ["an id as null", { objectId: null }, []],
    ["an id as a number", { objectId: 1 }, []],
    ["an id as a pointer", { objectId: pointer("Note", "apple") }, []],
    ["a time of creation", { createdAt: date("2026-01-02T00:00:00.000Z") }, ["pear"]],
    ["a time of creation as text", { createdAt: "2026-01-02T00:00:00.000Z" }, ["pear"]],
    ["a pointer", { folder: pointer("Folder", "f1") }, ["first"]],
    ["a pointer to another class", { folder: pointer("Other", "f1") }, []],
    ["a pointer of any class", { anything: pointer("Other", "f1") }, ["second"]],
    ["an object", { data: { a: 1, list: [{ k: 1 }] } }, ["inner"]],
    ["an array as a whole", { tags: ["x", "apple", "y"] }, ["texts"]],
    ["an empty array", { tags: [] }, ["none"]],
    ["text in an array", { tags: "x" }, ["texts"]],
    ["a number in an array", { tags: 1 }, ["mixed"]],
    ["a boolean in an array", { tags: true }, ["mixed", "truth"]],
    ["a date in an array", { tags: date(AT) }, ["mixed"]],
    ["a pointer in an array", { tags: pointer("Folder", "f1") }, ["mixed"]],
    ["a file in an array", { tags: file("a.png") }, ["mixed"]],
    ["an object in an array", { tags: { k: 1 } }, ["mixed"]],
    ["nested text", { "data.a": "x" }, ["nested"]],
    ["a nested number", { "data.deep.b": 2 }, ["nested"]],
    ["text in a nested array", { "data.list": "x" }, ["nested"]],
    ["an index of a nested array", { "data.list.1": 1 }, ["nested"]],
    ["a nested object", { "data.deep": { b: 2 } }, ["nested"]],

    ["not a text", { title: { $ne: "Apple" } }, except("apple")],
    ["not null", { title: { $ne: null } }, ["apple", "pear"]],
    ["not in an array", { tags: { $ne: "x" } }, except("texts")],
    ["explicitly equal", { title: { $eq: "pear" } }, ["pear"]],

    ["less than", { n: { $lt: 2.5 } }, ["apple"]],
    ["at most", { n: { $lte: 2.5 } }, ["apple", "pear"]],
    ["greater than", { n: { $gt: 1 } }, ["pear"]],
    ["at least", { n: { $gte: 1 } }, ["apple", "pear"]],
    ["less than a text", { title: { $lt: "b" } }, ["apple"]],
    ["greater than a boolean", { flag: { $gt: false } }, ["apple"]],
    ["before a date", { due: { $lt: date("2026-01-15T00:00:00.000Z") } }, ["apple"]],
    ["a text after a date", { title: { $gt: date("0001-01-01T00:00:00.000Z") } }, []],
    ["items after a date", { tags: { $gt: date("0001-01-01T00:00:00.000Z") } }, ["mixed"]],
    ["an item greater than a number", { tags: { $gt: 0 } }, ["mixed"]],
    ["greater than a value of another type", { title: { $gt: 0 } }, []],
    ["greater than an object", { data: { $gt: { a: 1 } } }, []],
    ["greater than null", { title: { $gt: null } }, []],
    ["a pointer greater than a text", { folder: { $gt: "" } }, []],
    ["created before", { createdAt: { $lt: date("2026-01-02T00:00:00.000Z") } }, ["apple"]],
    ["an id greater than a text", { objectId: { $gt: "zu" } }, ["zurich"]],
    ["an id after a date", { objectId: { $gt: date("0001-01-01T00:00:00.000Z") } }, []],
    ["a key of an id", { "objectId.a": "apple" }, []],
    ["an id greater than a number", { objectId: { $gt: 0 } }, []],

    ["one of several values", { title: { $in: ["Apple", "pear", 1] } }, ["apple", "pear"]],
    ["one of no values", { title: { $in: [] } }, []],
    ["one of values with null", { title: { $in: ["Apple", null] } }, except("pear")],
    ["none of several values", { title: { $nin: ["Apple", 1] } }, except("apple")],
    ["none of no values", { title: { $nin: [] } }, except()],
    ["none of values with null", { title: { $nin: ["Apple", null] } }, ["pear"]],
    ["an item of several values", { tags: { $in: ["y", 1] } }, ["mixed", "texts"]],
    ["an item of values with null", { tags: { $in: ["y", null] } }, except("none", "truth", "fake")],
    ["one of several dates", { due: { $in: [date(AT)] } }, ["apple"]],
    ["one of several booleans", { flag: { $in: [true] } }, ["apple"]],
    ["one of several files", { picture: { $in: [file("a.png")] } }, ["picture"]],
    [
      "one of pointers to several classes",
      { anything: { $in: [pointer("Folder", "f1"), pointer("Other", "f1"), pointer("Other", "f2")] } },
      ["first", "second"],
    ],
    ["an item that is one of several dates, files or pointers", { tags: { $in: [date(AT)] } }, ["mixed"]],
    ["an item that is one of several files", { tags: { $in: [file("a.png")] } }, ["mixed"]],
    ["an item that is one of several objects", { tags: { $in: [{ k: 1 }, { k: 2 }] } }, ["mixed"]],
    ["an item that is one of several booleans", { tags: { $in: [true, false] } }, ["mixed", "truth"]],
    ["an id of several", { objectId: { $in: ["apple", "bern", 1] } }, ["apple", "bern"]],
    ["an id of several numbers", { objectId: { $in: [1, 2] } }, []],
    ["an id of several pointers", { objectId: { $in: [pointer("Note", "apple")] } }, []],

    ["all values", { tags: { $all: ["x", "y"] } }, ["texts"]],
    ["all of repeated values", { tags: { $all: ["x", "x"] } }, ["texts"]],
    ["all values of several types", { tags: { $all: [1, true, { k: 1 }, date(AT)] } }, ["mixed"]],
    ["all of a number, where there is true", { tags: { $all: [1, "true"] } }, []],
    ["all of a text, where there is an array", { tags: { $all: ["true", '["x"]'] } }, []],
    ["all of null and of an object", { tags: { $all: [null, { k: 1 }] } }, ["mixed"]],
    ["all values, one of which is missing", { tags: { $all: ["x", "z"] } }, []],
    ["all of one value, in a field that is not an array", { title: { $all: ["Apple"] } }, ["apple"]],
    ["all of several values, in a field that is not an array", { title: { $all: ["Apple", "pear"] } }, []],
    ["all of no values", { tags: { $all: [] } }, []],
    ["contained by values", { tags: { $containedBy: ["x", "y", "apple", "z"] } }, ["none", "texts"]],
    [
      "contained by values of all types",
      { tags: { $containedBy: [1, true, null, date(AT), pointer("Folder", "f1"), { k: 1 }, file("a.png")] } },
      ["mixed", "none"],
    ],
    ["contained by values without null", { tags: { $containedBy: [1, true, date(AT)] } }, ["none"]],
    ["contained by no values", { tags: { $containedBy: [] } }, ["none"]],
    ["contained by values, not an array", { title: { $containedBy: ["Apple"] } }, []],

    ["a field exists", { title: { $exists: true } }, ["apple", "nulls", "pear"]],
    ["a field does not exist", { title: { $exists: false } }, except("apple", "nulls", "pear")],
    ["a nested field exists", { "data.deep": { $exists: true } }, ["nested"]],
    ["an id exists", { objectId: { $exists: false } }, []],

    ["a pattern", { title: { $regex: "p{2}" } }, ["apple"]],
    ["a pattern in any case", { title: { $regex: "^a", $options: "i" } }, ["apple"]],
    ["a prefix", { title: { $regex: "^\\Qpe\\E" } }, ["pear"]],
    ["a prefix that is a whole text", { title: { $regex: "^\\Qpear\\E$" } }, ["pear"]],
    ["an empty prefix", { title: { $regex: "^\\Q\\E" } }, ["apple", "pear"]],
    ["a prefix in any case", { title: { $regex: "^\\QPE\\E", $options: "i" } }, ["pear"]],
    ["a pattern of items", { tags: { $regex: "^app" } }, ["texts"]],
    ["a prefix of items", { tags: { $regex: "^\\Qapp\\E" } }, ["texts"]],
    ["a pattern of ids", { objectId: { $regex: "^ap" } }, ["apple"]],
    ["a prefix of ids", { objectId: { $regex: "^\\Qap\\E" } }, ["apple"]],
    ["patterns for all items", { tags: { $all: [{ $regex: "^a" }, { $regex: "^x" }] } }, ["texts"]],
    ["patterns of which one fails", { tags: { $all: [{ $regex: "^a" }, { $regex: "^z" }] } }, []],
    ["patterns for a text", { title: { $all: [{ $regex: "^A" }, { $regex: "e$" }] } }, ["apple"]],

    ["in a sub-query", { folder: { $inQuery: folderQuery() } }, ["first", "second"]],
    ["in a sub-query with a where", { folder: { $inQuery: folderQuery({ name: "other" }) } }, ["second"]],
    ["not in a sub-query", { folder: { $notInQuery: folderQuery({ name: "other" }) } }, except("second")],
    ["in a sub-query, of any class", { anything: { $inQuery: folderQuery() } }, ["first"]],
    ["an item in a sub-query", { tags: { $inQuery: folderQuery() } }, ["mixed"]],
    ["no item in a sub-query", { tags: { $notInQuery: folderQuery() } }, except("mixed")],
    ["a value of a sub-query", { title: { $select: { key: "name", query: folderQuery() } } }, ["apple"]],
    [
      "a value of several conditions of a sub-query",
      { n: { $select: { key: "size", query: folderQuery({ name: "other" }) } } },
      ["pear"],
    ],
    [
      "not a value of a sub-query",
      { title: { $dontSelect: { key: "name", query: folderQuery() } } },
      except("apple"),
    ],
    [
      "a pointer with an id of a sub-query",
      { folder: { $select: { key: "objectId", query: folderQuery({ name: "other" }) } } },
      ["second"],
    ],
    [
      "a pointer without an id of a sub-query",
      { folder: { $dontSelect: { key: "objectId", query: folderQuery({ name: "other" }) } } },
      except("second"),
    ],
    [
      "a pointer to any class with an id of a sub-query",
      { anything: { $select: { key: "objectId", query: folderQuery() } } },
      ["first"],
    ],
    ["the id of a sub-query", { objectId: { $select: { key: "name", query: folderQuery() } } }, []],

    ["near a point", { place: { $nearSphere: point(47, 8) } }, ["bern", "zurich"]],
    [
      "near a point within a distance",
      { place: { $nearSphere: point(47.4, 8.5), $maxDistanceInKilometers: 20 } },
      ["zurich"],
    ],
    ["in a box", { place: { $within: { $box: [point(46, 7), point(47, 8)] } } }, ["bern"]],
    ["in a circle", { place: { $geoWithin: { $centerSphere: [[7.4, 46.9], 0.001] } } }, ["bern"]],
    [
      "in a polygon",
      { place: { $geoWithin: { $polygon: [point(47, 8), point(48, 8), point(48, 9), point(47, 9)] } } },
      ["zurich"],
    ],
    ["around a point", { area: { $geoIntersects: { $point: point(5, 5) } } }, ["zurich"]],
    ["around a point outside", { area: { $geoIntersects: { $point: point(15, 5) } } }, []],
    ["near a point, not a place", { title: { $nearSphere: point(47, 8) } }, []],
    ["near within a distance, not a place", { title: { $nearSphere: point(47, 8), $maxDistance: 1 } }, []],
    ["in a box, not a place", { title: { $within: { $box: [point(46, 7), point(47, 8)] } } }, []],
    ["around a point, not a polygon", { title: { $geoIntersects: { $point: point(5, 5) } } }, []],

    ["all conditions", { title: { $gt: "A" }, n: 1 }, ["apple"]],
    ["and", { $and: [{ flag: true }, { n: 1 }] }, ["apple"]],
    ["or", { $or: [{ n: 1 }, { n: 2.5 }, { tags: "x" }] }, ["apple", "pear", "texts"]],
    ["nor", { $nor: [{ n: 1 }, { title: { $exists: true } }] }, except("apple", "nulls", "pear")],
    ["nor with unknown values", { $nor: [{ n: { $gt: 0 } }] }, except("apple", "pear")],
    [
      "nested branches",
      { $or: [{ $and: [{ n: 1 }, { flag: false }] }, { $nor: [{ title: null }] }] },
      ["apple", "pear"],
    ],
  ])("%s", (_name, where, expected) => {
    expect(match(where)).toEqual([...expected].sort());
    expect(find(where)).toEqual([...expected].sort());
  });

  it("with many branches", () => {
    const branches = Array.from({ length: 180 }, (_, n) => ({ n: n + 2 }));
    expect(find({ $or: [...branches, { n: 1 }] })).toEqual(["apple"]);
    expect(find({ $nor: branches })).toEqual(except().sort());
  });
});

describe("conditions that only SQL evaluates", () => {
  it.each<[string, JsonObject, string[]]>([
    ["a related object", { related: pointer("Folder", "f1") }, ["apple", "pear"]],
    ["not a related object", { related: { $ne: pointer("Folder", "f2") } }, except("pear")],
    ["one of several related objects", { related: { $in: [pointer("Folder", "f2")] } }, ["pear"]],
    [
      "none of several related objects",
      { related: { $nin: [pointer("Folder", "f1")] } },
      except("apple", "pear"),
    ],
    ["related to no object", { related: "f1" }, []],
    [
      "related to objects of a sub-query",
      { related: { $inQuery: folderQuery({ name: "other" }) } },
      ["pear"],
    ],
    [
      "not related to objects of a sub-query",
      { related: { $notInQuery: folderQuery({ name: "other" }) } },
      except("pear"),
    ],
    ["a relation exists", { related: { $exists: true } }, except()],
    ["a relation does not exist", { related: { $exists: false } }, []],
    ["a relation compared with a value", { related: { $gt: 1 } }, []],
    ["members of a relation", { $relatedTo: { object: pointer("Note", "apple"), key: "related" } }, []],
    ["a text search", { title: { $text: { $search: { $term: "apples" } } } }, ["apple"]],
    [
      "a text search in this case",
      { title: { $text: { $search: { $term: "apple", $caseSensitive: true } } } },
      [],
    ],
    ["a text search in a field that is not text", { n: { $text: { $search: { $term: "1" } } } }, []],
  ])("%s", (_name, where, expected) => {
    expect(find(where)).toEqual([...expected].sort());
  });

  it("find the members of a relation only if its owner may be read", () => {
    const where = parseWhere({ $relatedTo: { object: pointer("Note", "pear"), key: "related" } });
    const members = (owner: JsonObject) =>
      tables.findIds(
        queryOn(folders, where, { subqueries: new Map([[where, queryOn(notes, parseWhere(owner))]]) }),
      );
    expect(tables.findIds(queryOn(folders, where)).sort()).toEqual(["f1", "f2"]);
    expect(members({ objectId: "pear" }).sort()).toEqual(["f1", "f2"]);
    expect(members({ objectId: "gone" })).toEqual([]);
  });

  it("match nothing in a sub-query that the client may not run", () => {
    const none = new Map();
    expect(find({ folder: { $inQuery: folderQuery() } }, none)).toEqual([]);
    expect(find({ folder: { $notInQuery: folderQuery() } }, none)).toEqual(except().sort());
    expect(find({ related: { $inQuery: folderQuery() } }, none)).toEqual([]);
    expect(find({ related: { $notInQuery: folderQuery() } }, none)).toEqual(except().sort());
  });
});

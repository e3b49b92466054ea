/* Objects and conditions on paths that run through arrays, with the objects that MongoDB finds. */
import type { JsonObject } from "@purse/protocol";
import type { ClassSchema } from "../src/database/classSchema.ts";

const AT = "2026-01-01T00:00:00.000Z";
const date = (iso: string): JsonObject => ({ __type: "Date", iso });
const pointer = (objectId: string): JsonObject => ({ __type: "Pointer", className: "Folder", objectId });

export const folders: ClassSchema = {
  className: "Folder",
  table: "Folder",
  fields: { name: { type: "String" } },
  classLevelPermissions: {},
  indexes: {},
};

export const orders: ClassSchema = {
  className: "Order",
  table: "Order",
  fields: { s: { type: "Array" }, meta: { type: "Object" } },
  classLevelPermissions: {},
  indexes: {},
};

const stored =
  (values: Record<string, JsonObject>) =>
  (objectId: string): JsonObject => ({ objectId, createdAt: AT, updatedAt: AT, ...values[objectId] });

const FOLDERS: Record<string, JsonObject> = { f1: { name: "bar" }, f2: { name: "other" } };
const ORDERS: Record<string, JsonObject> = {
  two: { s: [{ status: "bar" }, { status: "qux" }] },
  one: { s: [{ status: "bar" }] },
  other: { s: [{ status: "qux", n: 5 }] },
  numbers: { s: [{ n: 1 }, { n: 10 }, { n: 2.5, ok: true }] },
  empty: { s: [] },
  scalars: { s: [1, "bar", null, true] },
  mixed: { s: [1, { status: "bar" }, null] },
  nulls: { s: [{ status: null }, { status: "baz" }] },
  lacking: { s: [{ status: "baz" }, {}] },
  missing: {},
  null: { s: null },
  lists: { s: [{ status: ["bar", "x"] }, { status: [] }] },
  nested: { s: [[{ status: "bar" }]] },
  deep: { s: [{ a: [{ b: 1 }, { b: 2 }] }, { a: { b: 3 } }, { a: 4 }] },
  values: {
    s: [
      { due: date(AT), to: pointer("f1"), size: { w: 1, h: 2 } },
      { due: date("2026-03-01T00:00:00.000Z") },
    ],
  },
  fake: { s: [{ due: { iso: AT }, to: { className: "Folder", objectId: "f1" }, status: "1", ok: "true" }] },
  meta: { meta: { items: [{ name: "a" }, { name: "b", tags: ["x", "y"] }], list: ["x"] } },
  metaObject: { meta: { items: { name: "a", tags: ["x"] } } },
  metaEmpty: { meta: { items: [] } },
  metaDeep: { meta: { rows: [{ cells: [{ v: 1 }, { v: "z" }] }, { cells: { v: 7 } }] } },
};

export const storedFolders = Object.keys(FOLDERS).map(stored(FOLDERS));
export const storedOrders = Object.keys(ORDERS).map(stored(ORDERS));

const except = (...ids: string[]) => Object.keys(ORDERS).filter((id) => !ids.includes(id));
const query = (where: JsonObject = {}) => ({ className: "Folder", where });

/** The objects in which something stands at `s.status`. */
const WITH_STATUS = ["two", "one", "other", "mixed", "nulls", "lacking", "lists", "fake"];

/** Titles, conditions, and the ids of the objects that they find. */
export const ARRAY_PATH_CASES: [string, JsonObject, string[]][] = [
  ["text of an item", { "s.status": "bar" }, ["two", "one", "mixed", "lists"]],
  ["text of no item", { "s.status": "none" }, []],
  ["text where there is a number", { "s.n": "1" }, []],
  ["a number where there is a text", { "s.status": 1 }, []],
  ["a number", { "s.n": 2.5 }, ["numbers"]],
  ["a boolean", { "s.ok": true }, ["numbers"]],
  ["a date", { "s.due": date(AT) }, ["values"]],
  ["a pointer", { "s.to": pointer("f1") }, ["values"]],
  ["an object", { "s.size": { h: 2, w: 1 } }, ["values"]],
  ["a key of an object", { "s.size.h": 2 }, ["values"]],
  ["an array as a whole", { "s.status": ["bar", "x"] }, ["lists"]],
  ["a part of an array as a whole", { "s.status": ["bar"] }, []],
  ["an empty array", { "s.status": [] }, ["lists"]],
  ["null", { "s.status": null }, except("two", "one", "other", "mixed", "lists", "fake")],
  ["null at the end of two arrays", { "s.a.b": null }, except()],

  ["$eq and $ne", { "s.status": { $eq: "bar", $ne: "baz" } }, ["two", "one", "mixed", "lists"]],
  ["$eq and $ne of two items", { "s.status": { $eq: "bar", $ne: "qux" } }, ["one", "mixed", "lists"]],
  ["$ne", { "s.status": { $ne: "bar" } }, except("two", "one", "mixed", "lists")],
  ["$ne null", { "s.status": { $ne: null } }, ["two", "one", "other", "mixed", "lists", "fake"]],
  ["$nor", { $nor: [{ "s.status": "bar" }] }, except("two", "one", "mixed", "lists")],

  ["$lt", { "s.n": { $lt: 2 } }, ["numbers"]],
  ["$lte", { "s.n": { $lte: 5 } }, ["other", "numbers"]],
  ["$gt", { "s.n": { $gt: 5 } }, ["numbers"]],
  ["$gte", { "s.n": { $gte: 5 } }, ["other", "numbers"]],
  ["bounds that two items satisfy together", { "s.n": { $gt: 6, $lt: 2 } }, ["numbers"]],
  ["$gt of a text", { "s.status": { $gt: "bar" } }, ["two", "other", "nulls", "lacking", "lists"]],
  ["$gt of a date", { "s.due": { $gt: date("2026-02-01T00:00:00.000Z") } }, ["values"]],
  ["$gte of a boolean", { "s.ok": { $gte: false } }, ["numbers"]],
  ["$gt of another type", { "s.status": { $gt: 0 } }, []],

  ["$in", { "s.status": { $in: ["bar"] } }, ["two", "one", "mixed", "lists"]],
  ["$in of several types", { "s.n": { $in: ["1", 10, 5] } }, ["other", "numbers"]],
  ["$in of dates", { "s.due": { $in: [date(AT)] } }, ["values"]],
  ["$in of pointers", { "s.to": { $in: [pointer("f1"), pointer("f2")] } }, ["values"]],
  ["$in of objects", { "s.size": { $in: [{ w: 1, h: 2 }, { w: 1 }] } }, ["values"]],
  ["$in of nothing", { "s.status": { $in: [] } }, []],
  ["$in with null", { "s.status": { $in: ["qux", null] } }, except("one", "mixed", "lists", "fake")],
  [
    "$nin",
    { "s.status": { $nin: ["bar", "baz"] } },
    except("two", "one", "mixed", "lists", "nulls", "lacking"),
  ],
  ["$nin with null", { "s.status": { $nin: ["bar", null] } }, ["other", "fake"]],
  ["$nin of nothing", { "s.status": { $nin: [] } }, except()],

  ["$all in one item", { "s.status": { $all: ["bar", "x"] } }, ["lists"]],
  ["$all in several items", { "s.status": { $all: ["qux", "bar"] } }, ["two"]],
  ["$all of several types", { "s.due": { $all: [date(AT), date("2026-03-01T00:00:00.000Z")] } }, ["values"]],
  ["$all of numbers", { "s.n": { $all: [1, 2.5, 1] } }, ["numbers"]],
  ["$all of a boolean that is no number", { "s.ok": { $all: [1] } }, []],
  ["$all of patterns", { "s.status": { $all: [{ $regex: "^b" }, { $regex: "^q" }] } }, ["two"]],
  [
    "$containedBy",
    { "s.status": { $containedBy: ["bar", "qux"] } },
    ["two", "one", "other", "numbers", "empty", "scalars", "mixed", "nested", "deep", "values"],
  ],

  ["$exists", { "s.status": { $exists: true } }, WITH_STATUS],
  ["$exists false", { "s.status": { $exists: false } }, except(...WITH_STATUS)],
  ["$exists of a key of a key", { "s.a.b": { $exists: true } }, ["deep"]],
  ["a pattern", { "s.status": { $regex: "^qu" } }, ["two", "other"]],
  ["a prefix", { "s.status": { $regex: "^\\Qba\\E" } }, ["two", "one", "mixed", "nulls", "lacking", "lists"]],
  ["a pattern in any case", { "s.status": { $regex: "BAZ", $options: "i" } }, ["nulls", "lacking"]],

  ["$inQuery", { "s.to": { $inQuery: query() } }, ["values"]],
  ["$inQuery of others", { "s.to": { $inQuery: query({ name: "other" }) } }, []],
  ["$notInQuery", { "s.to": { $notInQuery: query() } }, except("values")],
  ["$select", { "s.status": { $select: { key: "name", query: query() } } }, ["two", "one", "mixed", "lists"]],
  [
    "$dontSelect",
    { "s.status": { $dontSelect: { key: "name", query: query() } } },
    except("two", "one", "mixed", "lists"),
  ],

  ["an index", { "s.0.status": "bar" }, ["two", "one", "lists", "nested"]],
  ["the index of another item", { "s.1.status": "bar" }, ["mixed"]],
  ["an index at the end", { "s.1": "bar" }, ["scalars"]],
  ["an index of an array of an item", { "s.status.0": "bar" }, ["lists"]],
  ["an index in an array of an item", { "s.a.1.b": 2 }, ["deep"]],
  ["two arrays", { "s.a.b": 2 }, ["deep"]],
  ["an array and an object", { "s.a.b": { $gt: 2 } }, ["deep"]],
  ["$all of values of two arrays", { "s.a.b": { $all: [1, 3] } }, ["deep"]],

  ["an array in an object", { "meta.items.name": "b" }, ["meta"]],
  ["an array or an object in an object", { "meta.items.name": "a" }, ["meta", "metaObject"]],
  ["$ne of an array in an object", { "meta.items.name": { $ne: "b" } }, except("meta")],
  ["$in of an array in an object", { "meta.items.name": { $in: ["b", "c"] } }, ["meta"]],
  ["$exists of an array in an object", { "meta.items.name": { $exists: true } }, ["meta", "metaObject"]],
  ["null of an array in an object", { "meta.items.name": null }, except("meta", "metaObject")],
  ["null in an item of an array in an object", { "meta.items.tags": null }, except("metaObject")],
  ["an array in an array in an object", { "meta.items.tags": "y" }, ["meta"]],
  [
    "$all of an array in an array in an object",
    { "meta.items.tags": { $all: ["x"] } },
    ["meta", "metaObject"],
  ],
  [
    "$all of an array or an object in an object",
    { "meta.items.name": { $all: ["a"] } },
    ["meta", "metaObject"],
  ],
  ["$all of two values of an array in an object", { "meta.items.name": { $all: ["a", "b"] } }, ["meta"]],
  [
    "$containedBy of an array in an object",
    { "meta.items.tags": { $containedBy: ["x"] } },
    ["metaObject", "metaEmpty"],
  ],
  ["an index in an object", { "meta.items.1.name": "b" }, ["meta"]],
  ["an index at the end of an object", { "meta.list.0": "x" }, ["meta"]],
  ["two arrays in an object", { "meta.rows.cells.v": "z" }, ["metaDeep"]],
  ["an array and an object in an object", { "meta.rows.cells.v": { $gte: 7 } }, ["metaDeep"]],
  ["an array that holds no objects", { "meta.list.name": { $exists: true } }, []],
];

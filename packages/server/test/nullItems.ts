/* Objects with null in their arrays, and conditions with the objects that MongoDB finds. */
import type { JsonObject } from "@purse/protocol";
import type { ClassSchema } from "../src/database/classSchema.ts";

const AT = "2026-01-01T00:00:00.000Z";

export const lists: ClassSchema = {
  className: "Listed",
  table: "Listed",
  fields: { list: { type: "Array" }, o: { type: "Object" }, text: { type: "String" } },
  classLevelPermissions: {},
  indexes: {},
};

const LISTS: Record<string, JsonObject> = {
  nullAndOne: { list: [null, 1], o: { l: [null, 1] } },
  one: { list: [1], o: { l: [1] } },
  missing: {},
  empty: { list: [], o: { l: [] } },
  null: { list: null, o: null },
  nested: { list: [[null]], o: { l: [[null]] } },
  keys: { list: [{ k: [null, "x"] }, { k: "y" }], o: { l: [{ k: [null, "x"] }] } },
  text: { list: ["x"], o: { l: "x" }, text: "x" },
  nullKey: { list: ["y"], o: { l: null } },
  object: { list: [{ k: "z" }], o: { l: [{ k: "z" }] } },
};

export const storedLists: JsonObject[] = Object.entries(LISTS).map(([objectId, fields]) => ({
  objectId,
  createdAt: AT,
  updatedAt: AT,
  ...fields,
}));

const except = (...ids: string[]) => Object.keys(LISTS).filter((id) => !ids.includes(id));

const NULL_LISTS = ["nullAndOne", "missing", "null"];
const NULL_NESTED = ["nullAndOne", "missing", "null", "nullKey"];

/** Titles, conditions, and the ids of the objects that they find. */
export const NULL_ITEM_CASES: [string, JsonObject, string[]][] = [
  ["null", { list: null }, NULL_LISTS],
  ["$eq null", { list: { $eq: null } }, NULL_LISTS],
  ["$in null", { list: { $in: [null] } }, NULL_LISTS],
  ["$in null and a number", { list: { $in: [1, null] } }, [...NULL_LISTS, "one"]],
  ["$ne null", { list: { $ne: null } }, except(...NULL_LISTS)],
  ["$nin null", { list: { $nin: [null] } }, except(...NULL_LISTS)],
  ["$nin null and a number", { list: { $nin: [null, 1] } }, except(...NULL_LISTS, "one")],
  ["$nor null", { $nor: [{ list: null }] }, except(...NULL_LISTS)],
  ["$all null", { list: { $all: [null] } }, NULL_LISTS],
  ["$all null twice", { list: { $all: [null, null] } }, NULL_LISTS],
  ["$all null and a number", { list: { $all: [null, 1] } }, ["nullAndOne"]],
  ["$all null and an array", { list: { $all: [null, [null]] } }, []],
  ["$containedBy null", { list: { $containedBy: [null] } }, ["empty"]],
  ["$containedBy null and a number", { list: { $containedBy: [null, 1] } }, ["nullAndOne", "one", "empty"]],
  ["$exists", { list: { $exists: true } }, except("missing")],
  ["an array with null as a whole", { list: [null, 1] }, ["nullAndOne"]],

  ["null at a nested key", { "o.l": null }, NULL_NESTED],
  ["$in null at a nested key", { "o.l": { $in: [null] } }, NULL_NESTED],
  ["$in null and a text at a nested key", { "o.l": { $in: [null, "x"] } }, [...NULL_NESTED, "text"]],
  ["$ne null at a nested key", { "o.l": { $ne: null } }, except(...NULL_NESTED)],
  ["$nin null at a nested key", { "o.l": { $nin: [null] } }, except(...NULL_NESTED)],
  ["$all null at a nested key", { "o.l": { $all: [null] } }, NULL_NESTED],
  ["$all null and a number at a nested key", { "o.l": { $all: [1, null] } }, ["nullAndOne"]],

  ["null at a key of items", { "list.k": null }, except("object")],
  ["$ne null at a key of items", { "list.k": { $ne: null } }, ["object"]],
  ["$in null and a text at a key of items", { "list.k": { $in: [null, "z"] } }, except()],
  ["$nin null at a key of items", { "list.k": { $nin: [null] } }, ["object"]],
  ["$all null and a text at a key of items", { "list.k": { $all: [null, "y"] } }, ["keys"]],
  ["null at a key of nested items", { "o.l.k": null }, except("object")],
  ["$ne null at a key of nested items", { "o.l.k": { $ne: null } }, ["object"]],
  ["null at an index", { "list.0": null }, ["nullAndOne", "missing", "empty", "null", "nested"]],
  ["$ne null at an index", { "list.0": { $ne: null } }, ["one", "keys", "text", "nullKey", "object"]],

  ["$all of one value of an array", { list: { $all: [1] } }, ["nullAndOne", "one"]],
  ["$all of one value that is no array", { text: { $all: ["x"] } }, ["text"]],
  ["$all of one value twice", { "o.l": { $all: ["x", "x"] } }, ["text"]],
  ["$all of two values, of which one is no array", { text: { $all: ["x", "y"] } }, []],
  ["$all null in a text field", { text: { $all: [null] } }, except("text")],
  ["$all of patterns in a text field", { text: { $all: [{ $regex: "^x" }, { $regex: "x$" }] } }, ["text"]],
];

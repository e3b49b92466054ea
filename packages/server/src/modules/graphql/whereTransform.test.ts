import type { FieldType, JsonObject } from "@purse/protocol";
import { toGlobalId } from "graphql-relay";
import { describe, expect, it } from "vitest";
import { toWhere } from "./whereTransform.ts";

const CLASSES: Record<string, Record<string, FieldType>> = {
  Note: {
    title: { type: "String" },
    place: { type: "GeoPoint" },
    author: { type: "Pointer", targetClass: "Author" },
    readers: { type: "Relation", targetClass: "Author" },
    meta: { type: "Object" },
  },
};
const whereOf = (input: JsonObject) => toWhere(input, "Note", (name) => CLASSES[name]);
const POINT = { latitude: 1, longitude: 2 };
const GEO_POINT = { __type: "GeoPoint", ...POINT };

describe("a condition of a query", () => {
  it.each<[JsonObject, JsonObject]>([
    [{ title: { equalTo: "Tea", notIn: ["x"] } }, { title: { $eq: "Tea", $nin: ["x"] } }],
    [{ OR: [{ title: { exists: true } }] }, { $or: [{ title: { $exists: true } }] }],
    [{ AND: { title: { exists: true } } }, { $and: [{ title: { $exists: true } }] }],
    [{ id: { in: [toGlobalId("Note", "a1"), "b2"] } }, { objectId: { $in: ["a1", "b2"] } }],
    [
      { author: { have: { name: { equalTo: "Ann" } } } },
      { author: { $inQuery: { className: "Author", where: { name: { $eq: "Ann" } } } } },
    ],
    [{ author: { exists: false } }, { author: { $exists: false } }],
    [
      { readers: { exists: false } },
      { readers: { $notInQuery: { className: "Author", where: { objectId: { $exists: true } } } } },
    ],
    [{ title: { text: { search: { term: "tea" } } } }, { title: { $text: { $search: { $term: "tea" } } } }],
    [
      { place: { nearSphere: POINT, maxDistance: 3 } },
      { place: { $nearSphere: GEO_POINT, $maxDistance: 3 } },
    ],
    [
      { place: { within: { box: { bottomLeft: POINT, upperRight: POINT } } } },
      { place: { $within: { $box: [GEO_POINT, GEO_POINT] } } },
    ],
    [
      { place: { geoWithin: { centerSphere: { center: POINT, distance: 5 } } } },
      { place: { $geoWithin: { $centerSphere: [GEO_POINT, 5] } } },
    ],
    [{ meta: { equalTo: { key: "a.b", value: 1 } } }, { "meta.a.b": { $eq: 1 } }],
    [
      {
        meta: {
          in: [
            { key: "a", value: 1 },
            { key: "a", value: 2 },
          ],
        },
      },
      { "meta.a": { $in: [1, 2] } },
    ],
    [
      {
        title: {
          inQueryKey: { query: { className: "Author", where: { name: { exists: true } } }, key: "name" },
        },
      },
      {
        title: {
          $select: { query: { className: "Author", where: { name: { $exists: true } } }, key: "name" },
        },
      },
    ],
  ])("%j is %j in the Parse protocol", (input, where) => {
    expect(whereOf(input)).toEqual(where);
  });

  it.each<JsonObject>([
    { title: null },
    { OR: ["x"] },
    { place: { nearSphere: 5 } },
    { place: { geoWithin: { centerSphere: { center: POINT, distance: "5" } } } },
    { title: { inQueryKey: { query: { where: {} }, key: "name" } } },
  ])("%j is refused with 102", (input) => {
    expect(() => whereOf(input)).toThrow(expect.objectContaining({ code: 102 }));
  });

  it("has no operators by the names of an object's own methods", () => {
    expect(whereOf({ title: { toString: 1 } })).toEqual({ title: { toString: 1 } });
  });
});

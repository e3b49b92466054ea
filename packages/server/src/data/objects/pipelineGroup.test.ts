import type { JsonValue } from "@purse/protocol";
import { describe, expect, it } from "vitest";
import { classWith } from "../../../test/permissionFactories.ts";
import { groupResult, toSqlGroup } from "./pipelineGroup.ts";

const schema = classWith(
  {},
  {
    fields: {
      city: { type: "String" },
      author: { type: "Pointer", targetClass: "Author" },
      votes: { type: "Number" },
      due: { type: "Date" },
      tags: { type: "Array" },
    },
  },
);

const groupOf = (argument: JsonValue) => toSqlGroup(argument, schema)?.statement;

describe("a group stage that SQL can execute", () => {
  it("groups by a field and aggregates numbers", () => {
    expect(groupOf({ _id: "$city", total: { $sum: "$votes" }, top: { $max: "$votes" } })).toEqual({
      keys: [["city"]],
      aggregates: [{ fn: "count" }, { fn: "sum", path: ["votes"] }, { fn: "max", path: ["votes"] }],
    });
  });

  it("groups by the beginning of a date", () => {
    const month = { $dateToString: { format: "%Y-%m", date: "$createdAt" } };
    expect(groupOf({ _id: month })).toMatchObject({ keys: [["createdAt"]], dateLengths: [7] });
  });

  it("groups by the time of the creation as MongoDB calls it", () => {
    const year = { $dateToString: { format: "%Y", date: "$_created_at" } };
    expect(groupOf({ _id: year })).toMatchObject({ keys: [["createdAt"]], dateLengths: [4] });
  });

  const AUTHOR = { __type: "Pointer", className: "Author", objectId: "b2" };

  it.each<[string, JsonValue, JsonValue]>([
    ["the pointer", { town: "$city", by: "$author" }, { town: "Bern", by: AUTHOR }],
    ["the text of its column", { town: "$city", by: "$_p_author" }, { town: "Bern", by: "Author$b2" }],
  ])("makes objects with the names of several keys, and %s", (_, _id, objectId) => {
    const group = toSqlGroup({ _id, n: { $sum: 2 } }, schema);
    expect(group?.toObject({ keys: ["Bern", AUTHOR], aggregates: [3] })).toEqual({ objectId, n: 6 });
  });

  it("takes the column of a pointer as the pointer if it is the whole key", () => {
    const group = toSqlGroup({ _id: "$_p_author" }, schema);
    expect(group?.toObject({ keys: [AUTHOR], aggregates: [1] })).toEqual({ objectId: AUTHOR });
  });

  it("has 0 as the sum and null as the other aggregates of no numbers", () => {
    const group = toSqlGroup({ _id: null, sum: { $sum: "$votes" }, mean: { $avg: "$votes" } }, schema);
    expect(group?.toObject({ keys: [], aggregates: [5, null, null] })).toEqual({
      objectId: null,
      sum: 0,
      mean: null,
    });
  });

  it("distinguishes missing members of a key from null once there is one of them", () => {
    const group = toSqlGroup({ _id: { town: "$city" } }, schema);
    expect(group?.exactStatement([{ keys: ["Bern"], aggregates: [1] }])).toBeUndefined();
    expect(group?.exactStatement([{ keys: [null], aggregates: [1] }])).toMatchObject({ marksMissing: true });
    const rows = [true, false].map((isMissing) => ({ keys: [null], missing: [isMissing], aggregates: [1] }));
    expect(rows.map((row) => group?.toObject(row))).toEqual([{ objectId: {} }, { objectId: { town: null } }]);
  });

  it("does not distinguish them if the key is one value, which is null in both cases", () => {
    const group = toSqlGroup({ _id: "$city" }, schema);
    expect(group?.exactStatement([{ keys: [null], aggregates: [1] }])).toBeUndefined();
  });
});

it.each<[string, JsonValue]>([
  ["a list as the key", { _id: "$tags" }],
  ["a part of a field as the key", { _id: "$author.name" }],
  ["an expression as the key", { _id: { $toLower: "$city" } }],
  ["a date in another format", { _id: { $dateToString: { format: "%d.%m.%Y", date: "$due" } } }],
  ["a date in a time zone", { _id: { $dateToString: { format: "%Y", date: "$due", timezone: "+01" } } }],
  ["a sum of texts", { _id: null, n: { $sum: "$city" } }],
  ["another accumulator", { _id: null, all: { $push: "$city" } }],
  ["two accumulators in one", { _id: null, n: { $sum: 1, $avg: "$votes" } }],
  ["no object", "city"],
])("a group stage with %s is left to the worker", (_, argument) => {
  expect(groupOf(argument)).toBeUndefined();
});

it.each<[JsonValue, JsonValue]>([
  ["", null],
  [[], []],
  [{}, null],
  [0, 0],
  [false, false],
  ["a", "a"],
  [{ a: 1 }, { a: 1 }],
  [{ __type: "Pointer", className: "Author", objectId: "b2" }, "b2"],
  [{ by: { __type: "Pointer", className: "Author", objectId: "b2" } }, { by: "b2" }],
])("the group of %j has the id %j in the result", (objectId, expected) => {
  expect(groupResult({ objectId, n: 1 })).toEqual({ objectId: expected, n: 1 });
});

import type { JsonValue } from "@purse/protocol";
import { describe, expect, it } from "vitest";
import { classWith } from "../../../test/permissionFactories.ts";
import { groupId, toSqlGroup } from "./pipelineGroup.ts";

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

const groupOf = (argument: JsonValue) => toSqlGroup(argument, schema)?.group;

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

  it("makes objects with the names of several keys, and the id of a pointer", () => {
    const group = toSqlGroup({ _id: { town: "$city", by: "$author" }, n: { $sum: 2 } }, schema);
    const author = { __type: "Pointer", className: "Author", objectId: "b2" };
    expect(group?.toObject(["Bern", author], [3])).toEqual({ objectId: { town: "Bern", by: "b2" }, n: 6 });
  });

  it("has 0 as the sum and null as the other aggregates of no numbers", () => {
    const group = toSqlGroup({ _id: null, sum: { $sum: "$votes" }, mean: { $avg: "$votes" } }, schema);
    expect(group?.toObject([], [5, null, null])).toEqual({ objectId: null, sum: 0, mean: null });
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

it.each<[JsonValue | undefined, JsonValue]>([
  [undefined, null],
  ["", null],
  [[], null],
  [{}, null],
  [0, 0],
  [false, false],
  ["a", "a"],
  [{ a: 1 }, { a: 1 }],
])("the group of %j has the id %j", (value, expected) => {
  expect(groupId(value)).toEqual(expected);
});

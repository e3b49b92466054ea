import { type JsonObject, parseWhere } from "@purse/protocol";
import { describe, expect, it } from "vitest";
import { classWith } from "../../../test/permissionFactories.ts";
import { parseCondition, splitMatch } from "./pipelineMatch.ts";

const schema = classWith(
  {},
  {
    fields: {
      due: { type: "Date" },
      author: { type: "Pointer", targetClass: "Author" },
      tags: { type: "Array" },
    },
  },
);
const NEW_YEAR = { __type: "Date", iso: "2026-01-01T00:00:00.000Z" };
const ANN = { __type: "Pointer", className: "Author", objectId: "ann" };

const SAME_MEANING: [string, JsonObject, JsonObject][] = [
  ["a text as a date", { due: { $gt: "2026-01-01" } }, { due: { $gt: NEW_YEAR } }],
  ["a text as the time of the creation", { createdAt: "2026-01-01" }, { createdAt: NEW_YEAR }],
  ["MongoDB's name of the time", { _created_at: "2026-01-01" }, { createdAt: NEW_YEAR }],
  ["the id of a pointer", { author: "ann" }, { author: ANN }],
  ["the id of a pointer as MongoDB stores it", { author: "Author$ann" }, { author: ANN }],
  ["the column of a pointer", { _p_author: "Author$ann" }, { author: ANN }],
  ["a list of ids", { author: { $in: ["ann"] } }, { author: { $in: [ANN] } }],
  ["a pointer", { author: ANN }, { author: ANN }],
  ["pointers that differ", { author: { $ne: ANN } }, { author: { $ne: ANN } }],
  ["a list with a pointer", { tags: ANN }, { tags: ANN }],
  ["conditions in an $or", { $or: [{ author: "ann" }] }, { $or: [{ author: ANN }] }],
  ["_id", { _id: "a1" }, { objectId: "a1" }],
  [
    "an object with the keys of documents",
    { o: { objectId: "x", createdAt: "y" } },
    { o: { objectId: "x", createdAt: "y" } },
  ],
  ["a text that begins with $", { s: "$objectId" }, { s: "$objectId" }],
];

describe("a match takes", () => {
  it.each(SAME_MEANING)("%s", (_, match, where) => {
    expect(splitMatch(match, schema)).toEqual({
      condition: parseWhere(where),
      rest: undefined,
    });
    expect(parseCondition(match, schema)).toEqual(parseWhere(where));
  });
});

it("a text that is no date stays a text", () => {
  expect(parseCondition({ due: "soon" }, schema)).toEqual(parseWhere({ due: "soon" }));
});

it("the database tests the negation of operators, which its own conditions do not have", () => {
  const { condition, rest } = splitMatch({ n: { $not: { $gt: 2 }, $lt: 9 } }, schema);
  expect(condition).toEqual(parseWhere({ $nor: [{ n: { $gt: 2 } }], n: { $lt: 9 } }));
  expect(rest).toBeUndefined();
});

it.each<[string, JsonObject]>([
  ["an expression", { $expr: { $gt: ["$a", "$b"] } }],
  ["an array that may be an item", { list: [1, 2] }],
  ["$in with an array", { list: { $in: [[1]] } }],
  ["$gte with null, which finds missing values", { n: { $gte: null } }],
  ["$all of a value that may be no array", { n: { $all: [1] } }],
  ["$elemMatch", { tags: { $elemMatch: { $gt: 1 } } }],
  ["$size", { tags: { $size: 1 } }],
  ["$type", { n: { $type: "number" } }],
  ["an order of pointers", { author: { $gt: "Author$a" } }],
  ["a pattern of the text of pointers", { _p_author: { $regex: "^Author" } }],
  ["a branch of an $or with one of them", { $or: [{ n: 1 }, { tags: { $size: 1 } }] }],
])("%s is left to the worker, and the rest of the match is not", (_, left) => {
  const { condition, rest } = splitMatch({ title: "x", ...left }, schema);
  expect(condition).toEqual(parseWhere({ title: "x" }));
  expect(rest).toEqual(left);
});

it("an invalid condition that only the database has is an error", () => {
  expect(() => splitMatch({ place: { $nearSphere: 5 } }, schema)).toThrow(
    expect.objectContaining({ code: 107 }),
  );
});

it("the size of a match is limited as a whole", () => {
  const patterns = Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`f${i}`, { $regex: "a" }]));
  expect(() => splitMatch(patterns, schema)).toThrow(expect.objectContaining({ code: 102 }));
});

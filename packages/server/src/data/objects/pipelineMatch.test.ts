import { parseWhere } from "@purse/protocol";
import { expect, it } from "vitest";
import { classWith } from "../../../test/permissionFactories.ts";
import { parseCondition, parseMatch } from "./pipelineMatch.ts";

const schema = classWith(
  {},
  { fields: { due: { type: "Date" }, author: { type: "Pointer", targetClass: "Author" } } },
);
const NEW_YEAR = { __type: "Date", iso: "2026-01-01T00:00:00.000Z" };
const ANN = { __type: "Pointer", className: "Author", objectId: "ann" };

it.each([
  ["a text as a date", { due: { $gt: "2026-01-01" } }, { due: { $gt: NEW_YEAR } }],
  ["a text as the time of the creation", { createdAt: "2026-01-01" }, { createdAt: NEW_YEAR }],
  ["the id of a pointer", { author: "ann" }, { author: ANN }],
  ["the id of a pointer as MongoDB stores it", { author: "Author$ann" }, { author: ANN }],
  ["a list of ids", { author: { $in: ["ann"] } }, { author: { $in: [ANN] } }],
  ["conditions in an $or", { $or: [{ author: "ann" }] }, { $or: [{ author: ANN }] }],
  ["_id", { _id: "a1" }, { objectId: "a1" }],
])("a match takes %s", (_, match, where) => {
  expect(parseCondition(match, schema)).toEqual(parseWhere(where));
});

it("a text that is no date stays a text", () => {
  expect(parseCondition({ due: "soon" }, schema)).toEqual(parseWhere({ due: "soon" }));
});

it("a match that the query language does not have is left to the worker", () => {
  expect(parseMatch({ $expr: { $gt: ["$a", "$b"] } }, schema)).toBeUndefined();
});

it("an invalid pattern is an error, because it must not reach the worker", () => {
  expect(() => parseMatch({ title: { $regex: 5 } }, schema)).toThrow(expect.objectContaining({ code: 102 }));
});

import { expect, it } from "vitest";
import { toServerFieldNames } from "./pipelineFieldNames.ts";

it.each([
  ["objectId", "$project", { objectId: 1 }, { _id: 1 }],
  ["the columns of times", "$sort", { _created_at: -1, _updated_at: 1 }, { createdAt: -1, updatedAt: 1 }],
  ["the column of a pointer", "$match", { _p_author: "x" }, { author: "x" }],
  ["a reference", "$group", { _id: "$_p_author" }, { _id: "$author" }],
  ["a path", "$project", { "_p_author.name": 1 }, { "author.name": 1 }],
])("pipelines may use MongoDB's name of %s", (_, stage, argument, expected) => {
  expect(toServerFieldNames(stage, argument)).toEqual(expected);
});

it("of a lookup, only the compared fields have other names", () => {
  const lookup = { from: "objectId", localField: "_p_author", foreignField: "objectId", as: "_p_found" };
  expect(toServerFieldNames("$lookup", lookup)).toEqual({
    ...lookup,
    localField: "author",
    foreignField: "_id",
  });
});

it("a pointer in a text expression is the text that MongoDB stores", () => {
  expect(toServerFieldNames("$project", { id: { $strLenCP: "$_p_author" } })).toEqual({
    id: { $strLenCP: { $concat: ["$author.className", { $literal: "$" }, "$author.objectId"] } },
  });
});

it("the part of a missing date is null", () => {
  expect(toServerFieldNames("$project", { y: { $year: "$due" } })).toEqual({
    y: { $cond: [{ $eq: [{ $ifNull: ["$due", null] }, null] }, null, { $year: "$due" }] },
  });
});

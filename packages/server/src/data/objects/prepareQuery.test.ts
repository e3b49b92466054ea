import { type JsonObject, parseWhere } from "@purse/protocol";
import { describe, expect, it } from "vitest";
import { classWith } from "../../../test/permissionFactories.ts";
import { isTextIndexed, searchedFields } from "./prepareQuery.ts";

const search = { $text: { $search: { $term: "tea" } } };

describe("the fields that a condition searches by text", () => {
  it.each<[JsonObject, string[]]>([
    [{ title: search }, ["title"]],
    [{ $or: [{ title: search }, { $and: [{ body: search }, { votes: 1 }] }] }, ["title", "body"]],
    [{ author: { $inQuery: { className: "Author", where: { name: search } } } }, []],
    [{ title: "tea" }, []],
  ])("of %j are %j", (where, fields) => {
    expect(searchedFields(parseWhere(where))).toEqual(fields);
  });
});

it("only an index of the kind text makes a field searchable", () => {
  const schema = classWith({}, { indexes: { a: { title: 1 }, b: { body: "text" } } });
  expect(isTextIndexed(schema, "title")).toBe(false);
  expect(isTextIndexed(schema, "body")).toBe(true);
});

import type { FieldType } from "@purse/protocol";
import { describe, expect, it } from "vitest";
import { readKeys, type Selection, selects } from "./selection.ts";

const CLASSES: Record<string, Record<string, FieldType>> = {
  Note: {
    title: { type: "String" },
    author: { type: "Pointer", targetClass: "Author" },
    tags: { type: "Array" },
  },
  Author: { name: { type: "String" }, country: { type: "Pointer", targetClass: "Country" } },
  Country: { code: { type: "String" } },
};
const keysOf = (selection: Selection) => readKeys(selection, "Note", (name) => CLASSES[name]);

describe("the keys of a selection", () => {
  it("are the selected fields, with the id", () => {
    expect(keysOf({ id: {}, title: {} })).toEqual({ keys: "objectId,title" });
  });

  it("include a pointer only if more than its id is selected", () => {
    expect(keysOf({ author: { id: {}, objectId: {} } })).toEqual({ keys: "objectId,author" });
    expect(keysOf({ author: { country: { code: {} } } })).toEqual({
      keys: "objectId,author,author.country,author.country.code",
      include: "author,author.country",
    });
  });

  it("include the elements of a list, and their selected pointers", () => {
    expect(keysOf({ tags: { owner: { name: {} }, text: {} } })).toEqual({
      keys: "objectId,tags",
      include: "tags,tags.owner",
    });
  });

  it("are all fields if a custom field is selected, whose resolver may read any", () => {
    expect(keysOf({ title: {}, custom: {} })).toEqual({});
  });

  it("are all fields if there are too many to check", () => {
    const fields = Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`f${i}`, {}]));
    const types = Object.fromEntries(Object.keys(fields).map((name) => [name, { type: "String" as const }]));
    expect(readKeys(fields, "Wide", () => types)).toEqual({});
  });
});

it("a selection selects a path if it has all of its names", () => {
  const selection: Selection = { edges: { node: { title: {} } } };
  expect(selects(selection, "edges", "node")).toBe(true);
  expect(selects(selection, "edges", "cursor")).toBe(false);
  expect(selects(undefined)).toBe(false);
});

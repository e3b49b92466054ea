import { type JsonObject, parseQuery } from "@purse/protocol";
import { expect, it } from "vitest";
import { classWith } from "../../../test/permissionFactories.ts";
import { withIncludedKeys } from "./includedKeys.ts";

const schema = classWith(
  {},
  {
    fields: {
      title: { type: "String" },
      author: { type: "Pointer", targetClass: "Author" },
      readers: { type: "Array" },
    },
  },
);

/** The keys of a query after the fields that it includes were added. */
const keysOf = (params: JsonObject) => withIncludedKeys(parseQuery("Note", params), schema).keys;

it("a query that includes everything selects all fields with pointers besides its keys", () => {
  expect(keysOf({ keys: "title", include: "*" })).toEqual(["title", "author", "readers"]);
});

it("a part of an included object that is selected is not replaced by the whole object", () => {
  expect(keysOf({ keys: "author.name", include: "*" })).toEqual(["author.name", "readers"]);
});

it("a query without keys, or without an include of everything, stays as it is", () => {
  expect(keysOf({ include: "*" })).toBeUndefined();
  expect(keysOf({ keys: "title", include: "author" })).toEqual(["title"]);
});

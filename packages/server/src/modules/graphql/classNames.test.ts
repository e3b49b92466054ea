import { toGlobalId } from "graphql-relay";
import { expect, it } from "vitest";
import { graphqlNames } from "./classNames.ts";
import { objectIdOf } from "./globalId.ts";

it.each([
  ["note", { type: "Note", one: "note", many: "notes" }],
  ["_User", { type: "User", one: "user", many: "users" }],
  ["Category", { type: "Category", one: "category", many: "categories" }],
  ["Sheep", { type: "Sheep", one: "sheep", many: "sheep" }],
])("the class %s is called %j", (className, names) => {
  expect(graphqlNames(className)).toEqual(names);
});

it.each([
  [toGlobalId("Note", "a1"), "a1"],
  [toGlobalId("Other", "a1"), toGlobalId("Other", "a1")],
  ["a1", "a1"],
])("the id %s names the object %s of its class", (id, objectId) => {
  expect(objectIdOf("Note", id)).toBe(objectId);
});

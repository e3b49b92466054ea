import { expect, it } from "vitest";
import { classWith } from "../../../test/permissionFactories.ts";
import { relationFields } from "./relationFields.ts";

it("every object of a class has its relations, in wire format", () => {
  const fields = {
    title: { type: "String" as const },
    likes: { type: "Relation" as const, targetClass: "_User" },
  };
  expect(relationFields(classWith({}, { fields }))).toEqual([
    ["likes", { __type: "Relation", className: "_User" }],
  ]);
});

import { describe, expect, it } from "vitest";
import { classWith } from "../../../test/permissionFactories.ts";
import { removedFields, withoutFields } from "./removedFields.ts";

const current = classWith(
  {},
  {
    fields: {
      title: { type: "String" },
      votes: { type: "Number" },
      author: { type: "Pointer", targetClass: "Author" },
    },
    indexes: { by_title: { title: 1 }, by_both: { votes: 1, title: 1 }, by_votes: { "votes.n": 1 } },
  },
);
const definition = {
  indexes: {},
  className: "Note",
  fields: { title: { type: "Number" as const }, author: { type: "Pointer" as const, targetClass: "Writer" } },
};

/** The fields that a definition removes. */
const removed = (
  options: { deleteExtraFields?: boolean; recreateModifiedFields?: boolean },
  fixedFields: readonly string[] = [],
) =>
  removedFields(
    current,
    definition,
    { strict: false, deleteExtraFields: false, recreateModifiedFields: false, ...options },
    fixedFields,
  );

describe("the fields that a definition removes", () => {
  it("are none unless the options say so", () => {
    expect(removed({})).toEqual([]);
  });

  it("are those that it does not contain, if extra fields are deleted", () => {
    expect(removed({ deleteExtraFields: true })).toEqual(["votes"]);
  });

  it("are those of another type or target class, if modified fields are recreated", () => {
    expect(removed({ recreateModifiedFields: true })).toEqual(["title", "author"]);
  });

  it("are never those of a system class", () => {
    const options = { deleteExtraFields: true, recreateModifiedFields: true };
    expect(removed(options, ["title", "votes", "author"])).toEqual([]);
  });
});

it("a class without a field has no index that uses it, also not by a part of its value", () => {
  const schema = withoutFields(current, ["votes"]);
  expect(Object.keys(schema.fields)).toEqual(["title", "author"]);
  expect(Object.keys(schema.indexes)).toEqual(["by_title"]);
});

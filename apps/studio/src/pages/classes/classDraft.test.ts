import { describe, expect, it } from "vitest";
import { countChanges, fieldRows, indexRows, NO_CHANGES, toEdit, withChange } from "./classDraft.ts";

const game = {
  className: "Game",
  fields: { score: { type: "Number" as const }, objectId: { type: "String" as const } },
  classLevelPermissions: {},
  indexes: { _id_: { _id: 1 as const }, by: { score: -1 as const } },
};

describe("pending changes of a class", () => {
  it("are listed with the existing fields and indexes as new, changed or gone", () => {
    let draft = withChange(NO_CHANGES, "fields", "score", { type: "Number", required: true });
    draft = withChange(draft, "fields", "name", { type: "String" });
    draft = withChange(draft, "indexes", "by", null);
    expect(fieldRows(game, draft).map(({ name, change }) => [name, change])).toEqual([
      ["objectId", undefined],
      ["score", "changed"],
      ["name", "new"],
    ]);
    expect(indexRows(game, draft)).toEqual([{ name: "by", index: { score: -1 }, change: "gone" }]);
    expect(countChanges(draft)).toBe(3);
  });

  it("are converted to the server's format", () => {
    const draft = withChange(NO_CHANGES, "fields", "score", null);
    expect(toEdit(draft)).toEqual({ fields: { score: { __op: "Delete" } } });
  });

  it("can be discarded one by one", () => {
    const draft = withChange(NO_CHANGES, "fields", "score", null);
    expect(withChange(draft, "fields", "score", undefined)).toEqual(NO_CHANGES);
  });
});

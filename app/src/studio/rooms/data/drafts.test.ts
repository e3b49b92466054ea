import { describe, expect, it } from "vitest";
import { type Drafts, fieldsOf, resolved, withCells, withChange } from "./drafts.ts";

const ROW = { objectId: "a", updatedAt: "2026-01-01T00:00:00.000Z", n: 1, name: "Ada" };
const none: Drafts = new Map();

describe("changes that are not saved yet", () => {
  it("are one of a row, which knows the state that it was made from", () => {
    const later = { ...ROW, updatedAt: "2026-02-01T00:00:00.000Z" };
    const drafts = withChange(withChange(none, ROW, "n", 2), later, "name", "Grace");
    expect(drafts.get("a")).toEqual({
      objectId: "a",
      expectedUpdatedAt: ROW.updatedAt,
      changes: { n: 2, name: "Grace" },
    });
  });

  it("are none where the value is the one before again", () => {
    expect(withChange(withChange(none, ROW, "n", 2), ROW, "n", 1).size).toBe(0);
    expect(withChange(none, ROW, "missing", null).size).toBe(0);
  });

  it("hold what cannot be a value with why, until it is corrected", () => {
    const refused = { text: "many", why: "That is no number." };
    const bad = withCells(none, [
      { row: ROW, field: "n", refused },
      { row: ROW, field: "name", value: "Grace" },
    ]);
    expect(bad.get("a")).toMatchObject({ changes: { name: "Grace" }, refused: { n: refused } });
    expect(withChange(bad, ROW, "n", 2).get("a")).toEqual({
      objectId: "a",
      expectedUpdatedAt: ROW.updatedAt,
      changes: { name: "Grace", n: 2 },
    });
  });

  it("take a value away by null", () => {
    expect(fieldsOf({ changes: { n: null, name: "x" } })).toEqual({ n: { __op: "Delete" }, name: "x" });
  });

  it("go on from the row as it is after a conflict, with what somebody keeps", () => {
    const current = { ...ROW, n: 5, updatedAt: "2026-03-01T00:00:00.000Z" };
    const draft = { objectId: "a", expectedUpdatedAt: ROW.updatedAt, changes: { n: 2, name: "x" }, current };
    expect(resolved(draft, new Set(["n"]))).toEqual({
      objectId: "a",
      expectedUpdatedAt: current.updatedAt,
      changes: { n: 2 },
    });
    expect(resolved(draft, new Set())).toBeUndefined();
  });
});

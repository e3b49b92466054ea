import { describe, expect, it } from "vitest";
import { applyCells, applyChange, type Drafts, resolveConflict, toFields } from "./drafts.ts";

const ROW = { objectId: "a", updatedAt: "2026-01-01T00:00:00.000Z", n: 1, name: "Ada" };
const none: Drafts = new Map();

describe("changes that are not saved yet", () => {
  it("are one of a row, which knows the state that it was made from", () => {
    const later = { ...ROW, updatedAt: "2026-02-01T00:00:00.000Z" };
    const drafts = applyChange(applyChange(none, ROW, "n", 2), later, "name", "Grace");
    expect(drafts.get("a")).toEqual({
      objectId: "a",
      expectedUpdatedAt: ROW.updatedAt,
      changes: { n: 2, name: "Grace" },
    });
  });

  it("are none where the value is the one before again", () => {
    expect(applyChange(applyChange(none, ROW, "n", 2), ROW, "n", 1).size).toBe(0);
    expect(applyChange(none, ROW, "missing", null).size).toBe(0);
  });

  it("hold what cannot be a value with why, until it is corrected", () => {
    const invalid = { text: "many", reason: "Enter a number." };
    const bad = applyCells(none, [
      { row: ROW, field: "n", invalid },
      { row: ROW, field: "name", value: "Grace" },
    ]);
    expect(bad.get("a")).toMatchObject({ changes: { name: "Grace" }, invalid: { n: invalid } });
    expect(applyChange(bad, ROW, "n", 2).get("a")).toEqual({
      objectId: "a",
      expectedUpdatedAt: ROW.updatedAt,
      changes: { name: "Grace", n: 2 },
    });
  });

  it("take a value away by null", () => {
    expect(toFields({ changes: { n: null, name: "x" } })).toEqual({ n: { __op: "Delete" }, name: "x" });
  });

  it("go on from the row as it is after a conflict, with what somebody keeps", () => {
    const current = { ...ROW, n: 5, updatedAt: "2026-03-01T00:00:00.000Z" };
    const draft = { objectId: "a", expectedUpdatedAt: ROW.updatedAt, changes: { n: 2, name: "x" }, current };
    expect(resolveConflict(draft, new Set(["n"]))).toEqual({
      objectId: "a",
      expectedUpdatedAt: current.updatedAt,
      changes: { n: 2 },
    });
    expect(resolveConflict(draft, new Set())).toBeUndefined();
  });
});

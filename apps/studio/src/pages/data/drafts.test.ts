import { describe, expect, it } from "vitest";
import { applyCells, applyChange, type Drafts, resolveConflict, toFields } from "./drafts.ts";

const ROW = { objectId: "a", updatedAt: "2026-01-01T00:00:00.000Z", n: 1, name: "Ada" };
const none: Drafts = new Map();

describe("pending changes of rows", () => {
  it("are collected per row, with the version of the row at the first change", () => {
    const later = { ...ROW, updatedAt: "2026-02-01T00:00:00.000Z" };
    const drafts = applyChange(applyChange(none, ROW, "n", 2), later, "name", "Grace");
    expect(drafts.get("a")).toEqual({
      objectId: "a",
      expectedUpdatedAt: ROW.updatedAt,
      changes: { n: 2, name: "Grace" },
    });
  });

  it("are removed when the value is the original one again", () => {
    expect(applyChange(applyChange(none, ROW, "n", 2), ROW, "n", 1).size).toBe(0);
    expect(applyChange(none, ROW, "missing", null).size).toBe(0);
  });

  it("begin with nothing in a field by the name of a method", () => {
    expect(applyChange(none, ROW, "toString", null).size).toBe(0);
    expect(applyChange(none, ROW, "toString", "x").get("a")?.changes).toEqual({ toString: "x" });
  });

  it("keep an invalid value with its reason until it is corrected", () => {
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

  it("delete a field with null", () => {
    expect(toFields({ changes: { n: null, name: "x" } })).toEqual({ n: { __op: "Delete" }, name: "x" });
  });

  it("continue from the current row after a conflict, with the values that the user keeps", () => {
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

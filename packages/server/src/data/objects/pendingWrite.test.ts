import type { Operation } from "@purse/protocol";
import { describe, expect, it } from "vitest";
import {
  assertStorable,
  changedPaths,
  createPendingWrite,
  extractField,
  setField,
  setValueOf,
} from "./pendingWrite.ts";

const pendingWith = (operations: Record<string, Operation>) =>
  createPendingWrite("Note", "a1", operations, undefined);

describe("a pending write", () => {
  it("tells the value that it sets a field to, but not that of another operation", () => {
    const pending = pendingWith({ votes: { op: "Increment", amount: 1 } });
    setField(pending, "title", "Tea");
    expect(setValueOf(pending, "title")).toBe("Tea");
    expect(setValueOf(pending, "votes")).toBeUndefined();
    expect(setValueOf(pending, "missing")).toBeUndefined();
  });

  it("gives away a field that is not stored in the object", () => {
    const pending = pendingWith({ password: { op: "Set", value: "secret" } });
    expect(extractField(pending, "password")).toBe("secret");
    expect(pending.operations).toEqual({});
  });

  it.each<[string, Operation]>([
    ["a value", { op: "Set", value: { text: ["\ud800"] } }],
    ["the items of a list", { op: "AddUnique", objects: ["\ud800"] }],
  ])("is rejected with 107 if %s contain a text that cannot be stored", (_, operation) => {
    expect(() => assertStorable(pendingWith({ field: operation }))).toThrow(
      expect.objectContaining({ code: 107 }),
    );
  });
});

it("changed paths are those with a new operation, also one with an equal value", () => {
  const kept: Operation = { op: "Set", value: 1 };
  expect(
    changedPaths(
      { kept, replaced: kept, gone: kept },
      { kept, replaced: { op: "Set", value: 1 }, added: kept },
    ),
  ).toEqual(["replaced", "added"]);
});

import type { JsonValue, Operation } from "@purse/protocol";
import { describe, expect, it } from "vitest";
import { user } from "../../../test/permissionFactories.ts";
import { MASTER } from "../../core/authContext.ts";
import { assertClientAccess, assertPointsToClientClasses, isClientClass } from "./clientAccess.ts";

const rules = new Map([
  ["_User", { clientAccess: true }],
  ["_Hooks", { clientAccess: false }],
  ["_Plain", {}],
]);
const ann = user("ann");

describe("isClientClass", () => {
  it.each([
    ["Note", true],
    ["_User", true],
    ["_Hooks", false],
    ["_Plain", false],
    ["_Unknown", false],
  ])("%s: %s", (className, expected) => {
    expect(isClientClass(className, rules)).toBe(expected);
  });
});

describe("assertClientAccess", () => {
  it("throws 119 for an internal class", () => {
    expect(() => assertClientAccess("_Hooks", "find", ann, rules)).toThrow(
      expect.objectContaining({
        code: 119,
        message: "Clients aren't allowed to perform the find operation on the _Hooks collection.",
      }),
    );
  });

  it("throws 103 for an invalid class name", () => {
    expect(() => assertClientAccess("_a b", "find", ann, rules)).toThrow(
      expect.objectContaining({ code: 103 }),
    );
  });

  it("passes classes of clients, and every class with the master key", () => {
    expect(() => assertClientAccess("Note", "find", ann, rules)).not.toThrow();
    expect(() => assertClientAccess("_User", "find", ann, rules)).not.toThrow();
    expect(() => assertClientAccess("_Hooks", "find", MASTER, rules)).not.toThrow();
  });
});

describe("assertPointsToClientClasses", () => {
  const pointer = (className: string, type = "Pointer") => ({ __type: type, className, objectId: "x" });
  const set = (value: JsonValue): Operation => ({ op: "Set", value });
  const check = (operation: Operation, auth = user("ann")) =>
    assertPointsToClientClasses({ field: operation }, auth, rules);

  it.each<[string, Operation]>([
    ["a pointer", set(pointer("_Hooks"))],
    ["an object", set(pointer("_Hooks", "Object"))],
    ["a relation", set(pointer("_Hooks", "Relation"))],
    ["a pointer in an array", set([1, [pointer("_Hooks")]])],
    ["a pointer in an object", set({ a: { b: [pointer("_Hooks")] } })],
    ["a pointer inside of a pointer to another class", set({ ...pointer("Note"), more: pointer("_Hooks") })],
    ["an added pointer", { op: "Add", objects: [pointer("_Hooks")] }],
    ["a unique pointer", { op: "AddUnique", objects: [pointer("_Hooks")] }],
    ["a removed pointer", { op: "Remove", objects: [pointer("_Hooks")] }],
    [
      "a related object",
      { op: "Relation", add: [{ __type: "Pointer", className: "_Hooks", objectId: "x" }], remove: [] },
    ],
    [
      "an object that is no longer related",
      { op: "Relation", add: [], remove: [{ __type: "Pointer", className: "_Hooks", objectId: "x" }] },
    ],
  ])("throws 119 for %s of an internal class", (_name, operation) => {
    expect(() => check(operation)).toThrow(
      expect.objectContaining({
        code: 119,
        message: "Clients aren't allowed to store pointers to the _Hooks collection.",
      }),
    );
    expect(() => assertPointsToClientClasses({ field: operation }, MASTER, rules)).not.toThrow();
  });

  it.each<[string, Operation]>([
    ["pointers to classes of clients", set([pointer("Note"), pointer("_User")])],
    ["objects of another type", set({ __type: "Bytes", className: "_Hooks" })],
    ["a class name that is not text", set({ __type: "Pointer", className: 1 })],
    ["plain values", set(["_Hooks", null, 1, true])],
    ["a null", set(null)],
    ["an increment", { op: "Increment", amount: 1 }],
    ["a deletion", { op: "Delete" }],
  ])("passes %s", (_name, operation) => {
    expect(() => check(operation)).not.toThrow();
  });

  it("quotes at most 128 characters of the class", () => {
    const className = `_${"x".repeat(200)}`;
    expect(() => check(set(pointer(className)))).toThrow(
      expect.objectContaining({
        message: `Clients aren't allowed to store pointers to the ${className.slice(0, 128)} collection.`,
      }),
    );
  });
});

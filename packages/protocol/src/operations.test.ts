import { describe, expect, it } from "vitest";
import { applyOperation, applyOperations, isEchoed, parseOperation } from "./operations.ts";
import type { JsonValue } from "./values.ts";

describe("parseOperation", () => {
  it("takes a plain value as Set", () => {
    expect(parseOperation({ a: [1, "x", null] })).toEqual({ op: "Set", value: { a: [1, "x", null] } });
  });

  it("joins a Batch of relation operations into one", () => {
    const pointer = (objectId: string) => ({ __type: "Pointer", className: "A", objectId });
    const ops = [
      { __op: "AddRelation", objects: [pointer("1")] },
      { __op: "RemoveRelation", objects: [pointer("2")] },
    ];
    expect(parseOperation({ __op: "Batch", ops })).toEqual({
      op: "Relation",
      add: [pointer("1")],
      remove: [pointer("2")],
    });
  });

  it.each([
    ["an unknown operation", { __op: "Rename", to: "x" }, 108],
    ["an increment by text", { __op: "Increment", amount: "1" }, 107],
    ["an addition without a list", { __op: "Add", objects: "x" }, 107],
    ["a relation to something else than pointers", { __op: "AddRelation", objects: [1] }, 107],
    ["a batch in a batch", { __op: "Batch", ops: [{ __op: "Batch", ops: [] }] }, 107],
    ["keys that reach the prototype", JSON.parse('{"a":{"__proto__":{"x":1}}}'), 121],
    ["keys with a dollar", { $set: 1 }, 121],
    ["keys with a dot", { "a.b": 1 }, 121],
    ["a number that is not finite", Number.POSITIVE_INFINITY, 107],
  ])("refuses %s", (_name, value, code) => {
    expect(() => parseOperation(value)).toThrow(expect.objectContaining({ code }));
  });

  it("refuses deep values before it recurses into them", () => {
    let deep: unknown = 1;
    for (let i = 0; i < 10_000; i++) deep = [deep];
    expect(() => parseOperation(deep)).toThrow(expect.objectContaining({ code: 107 }));
  });
});

describe("applyOperation", () => {
  const cases: [string, JsonValue | undefined, unknown, JsonValue | undefined][] = [
    ["sets", 1, 2, 2],
    ["deletes", 1, { __op: "Delete" }, undefined],
    ["increments what is missing from 0", undefined, { __op: "Increment", amount: 3 }, 3],
    ["adds, keeping doubles", ["a"], { __op: "Add", objects: ["a", "b"] }, ["a", "a", "b"]],
    ["adds what is not there", [{ k: 1 }], { __op: "AddUnique", objects: [{ k: 1 }, 2, 2] }, [{ k: 1 }, 2]],
    ["removes every equal item", [1, 2, 1], { __op: "Remove", objects: [1] }, [2]],
  ];
  it.each(cases)("%s", (_name, current, operation, expected) => {
    expect(applyOperation(current, parseOperation(operation))).toEqual(expected);
  });

  it("refuses to increment a text with 111", () => {
    expect(() => applyOperation("x", { op: "Increment", amount: 1 })).toThrow(
      expect.objectContaining({ code: 111 }),
    );
  });
});

describe("applyOperations", () => {
  it("changes only what a dotted path names and leaves the original alone", () => {
    const before = { place: { city: "Bern", zip: 1 } };
    const after = applyOperations(before, {
      "place.zip": { op: "Increment", amount: 1 },
      "x.y": { op: "Set", value: 1 },
    });
    expect(after).toEqual({ place: { city: "Bern", zip: 2 }, x: { y: 1 } });
    expect(before.place.zip).toBe(1);
  });

  it("refuses a path through a text with 111", () => {
    expect(() => applyOperations({ a: "x" }, { "a.b": { op: "Set", value: 1 } })).toThrow(
      expect.objectContaining({ code: 111 }),
    );
  });
});

it("echoes the operations whose result the client cannot know", () => {
  expect(isEchoed({ op: "AddUnique", objects: [] })).toBe(true);
  expect(isEchoed({ op: "Set", value: 1 })).toBe(false);
});

import { describe, expect, it } from "vitest";
import {
  applyOperation,
  applyOperations,
  changeObject,
  isResultReturned,
  type Operation,
  parseOperation,
  valuesIn,
} from "./operations.ts";
import type { JsonObject, JsonValue } from "./wireValues.ts";

describe("parseOperation", () => {
  it("parses a plain value as Set", () => {
    expect(parseOperation({ a: [1, "x", null] })).toEqual({ op: "Set", value: { a: [1, "x", null] } });
  });

  it("merges a Batch of relation operations into one operation", () => {
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

  it("parses a Batch of operations on a list, which are applied in their order", () => {
    const ops = [
      { __op: "Add", objects: ["b", "a"] },
      { __op: "Remove", objects: ["a"] },
      { __op: "AddUnique", objects: ["b", "c"] },
    ];
    const operation = parseOperation({ __op: "Batch", ops });
    expect(applyOperation(["a"], operation)).toEqual(["b", "c"]);
    expect(applyOperation(undefined, operation)).toEqual(["b", "c"]);
    expect(isResultReturned(operation)).toBe(true);
    expect(valuesIn(operation)).toEqual(["b", "a", "a", "b", "c"]);
    expect(() => applyOperation("a", operation)).toThrow(expect.objectContaining({ code: 111 }));
  });

  it.each([
    ["an unknown operation", { __op: "Rename", to: "x" }, 108],
    ["an increment by text", { __op: "Increment", amount: "1" }, 107],
    ["an addition without a list", { __op: "Add", objects: "x" }, 107],
    ["a relation to something else than pointers", { __op: "AddRelation", objects: [1] }, 107],
    ["a batch in a batch", { __op: "Batch", ops: [{ __op: "Batch", ops: [] }] }, 107],
    [
      "a batch for a list and a relation",
      {
        __op: "Batch",
        ops: [
          { __op: "Add", objects: [] },
          { __op: "AddRelation", objects: [] },
        ],
      },
      107,
    ],
    ["a batch with an increment", { __op: "Batch", ops: [{ __op: "Increment", amount: 1 }] }, 107],
    ["keys that reach the prototype", JSON.parse('{"a":{"__proto__":{"x":1}}}'), 105],
    ["keys with a dollar", { $set: 1 }, 121],
    ["keys with a dollar inside", { a: { "costs $": 1 } }, 121],
    ["keys with a dot", { "a.b": 1 }, 121],
    ["a number that is not finite", Number.POSITIVE_INFINITY, 107],
  ])("rejects %s", (_name, value, code) => {
    expect(() => parseOperation(value)).toThrow(expect.objectContaining({ code }));
  });

  it("rejects deeply nested values without recursion", () => {
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

  it("rejects an increment of a string with 111", () => {
    expect(() => applyOperation("x", { op: "Increment", amount: 1 })).toThrow(
      expect.objectContaining({ code: 111 }),
    );
  });
});

describe("applyOperations", () => {
  it("changes only the value at a dotted path, and does not modify the original", () => {
    const before = { place: { city: "Bern", zip: 1 } };
    const after = applyOperations(before, {
      "place.zip": { op: "Increment", amount: 1 },
      "x.y": { op: "Set", value: 1 },
    });
    expect(after).toEqual({ place: { city: "Bern", zip: 2 }, x: { y: 1 } });
    expect(before.place.zip).toBe(1);
  });

  it.each<[string, JsonObject, Record<string, unknown>, JsonObject]>([
    ["sets an item of an array", { a: [1, 2, 3] }, { "a.1": 5 }, { a: [1, 5, 3] }],
    ["adds the item after the last one", { a: [1] }, { "a.1": 2 }, { a: [1, 2] }],
    ["pads an array with null up to the item", { a: [1] }, { "a.3": 2 }, { a: [1, null, null, 2] }],
    [
      "pads arrays within objects and arrays",
      { o: { l: [] }, m: [[1]] },
      { "o.l.1": 2, "m.0.2": 3, "m.2.k": 4 },
      { o: { l: [null, 2] }, m: [[1, null, 3], null, { k: 4 }] },
    ],
    [
      "counts from 0, and adds to nothing, beyond the end of an array",
      { a: [] },
      { "a.1": { __op: "Increment", amount: 2 }, "a.2": { __op: "Add", objects: ["x"] } },
      { a: [null, 2, ["x"]] },
    ],
    [
      "puts null in place of deleted items, so that the others keep their positions",
      { a: [1, 2, 3, 4] },
      { "a.0": { __op: "Delete" }, "a.2": { __op: "Delete" } },
      { a: [null, 2, null, 4] },
    ],
    [
      "deletes nothing at keys that an array does not have, nor from null",
      { a: [1, { b: 2 }], b: null },
      {
        "a.2": { __op: "Delete" },
        "a.999999999": { __op: "Delete" },
        "a.-1": { __op: "Delete" },
        "a.x": { __op: "Delete" },
        "a.x.y": { __op: "Delete" },
        "a.1.c": { __op: "Delete" },
        "b.c": { __op: "Delete" },
      },
      { a: [1, { b: 2 }], b: null },
    ],
    ["makes objects of null on the way", { a: [null] }, { "a.0.b": 1 }, { a: [{ b: 1 }] }],
    ["makes an object where the class has no array", {}, { "a.0": 1 }, { a: { "0": 1 } }],
    [
      "changes objects in arrays in arrays",
      { a: [{ b: [{ c: 1 }, { c: 2 }] }] },
      { "a.0.b.1.c": { __op: "Increment", amount: 5 }, "a.0.b.0.d": 1, "a.0.e": 2 },
      { a: [{ b: [{ c: 1, d: 1 }, { c: 7 }], e: 2 }] },
    ],
    [
      "adds to an array of which an item was changed",
      { a: [1, 2] },
      { "a.0": 5, a: { __op: "Add", objects: [3] } },
      { a: [5, 2, 3] },
    ],
    [
      "changes an item of an array that was set",
      { a: 1 },
      { a: [1, { b: 1 }], "a.1.b": 2 },
      { a: [1, { b: 2 }] },
    ],
    [
      "sets the whole over what was changed in it",
      { a: { b: [1] } },
      { "a.b.0": 2, a: { c: 1 } },
      { a: { c: 1 } },
    ],
    [
      "makes what is missing on the way, and nothing to delete from it",
      {},
      { "a.b": 1, "c.d": { __op: "Delete" } },
      { a: { b: 1 } },
    ],
  ])("%s", (_, before, fields, expected) => {
    const copy = JSON.parse(JSON.stringify(before));
    const operations = Object.fromEntries(
      Object.entries(fields).map(([path, value]) => [path, parseOperation(value)]),
    );
    const values = JSON.parse(JSON.stringify(fields));
    expect(applyOperations(before, operations)).toEqual(expected);
    expect(before).toEqual(copy);
    expect(fields).toEqual(values);
    expect(changeObject(copy, operations)).toEqual(expected);
    expect(fields).toEqual(values);
  });

  it("changes an object itself with changeObject(), and never the values of operations", () => {
    const nested = { list: [{ n: 1 }] };
    const object: JsonObject = { nested };
    const operations: Record<string, Operation> = {
      "nested.list.0.n": { op: "Increment", amount: 1 },
      "nested.map": { op: "Set", value: { inner: { n: 1 } } },
      "nested.map.inner.n": { op: "Increment", amount: 1 },
      "nested.map.inner.m": { op: "Increment", amount: 1 },
      "nested.added": { op: "Add", objects: [{ n: 1 }] },
      "nested.added.0.n": { op: "Increment", amount: 1 },
    };
    const sent = JSON.stringify(operations);
    const expected = { nested: { list: [{ n: 2 }], map: { inner: { n: 2, m: 1 } }, added: [{ n: 2 }] } };
    // A transaction that is repeated applies the same operations to the object that it reads again.
    for (const each of [object, { nested: { list: [{ n: 1 }] } }])
      expect(changeObject(each, operations)).toEqual(expected);
    expect(object.nested).toBe(nested);
    expect(changeObject({ nested: { list: [{ n: 1 }] } }, operations)).toEqual(expected);
    expect(JSON.stringify(operations)).toBe(sent);
  });

  it.each(["x", "-1", "-0", "+1", "01", "1e1", "0x1", "x.0", "1x"])(
    "rejects writes to the key %s of an array with 111",
    (key) => {
      for (const operation of [
        { op: "Set", value: 1 },
        { op: "Increment", amount: 1 },
      ] as const) {
        const before = { a: [1, 2], o: { l: [1] } };
        for (const path of [`a.${key}`, `o.l.${key}`]) {
          expect(() => applyOperations(before, { [path]: operation }), path).toThrow(
            expect.objectContaining({ code: 111, message: expect.stringContaining(path) }),
          );
        }
        expect(before).toEqual({ a: [1, 2], o: { l: [1] } });
      }
    },
  );

  it.each([1_003, 999_999_999, 2 ** 53, `1${"0".repeat(400)}`])(
    "rejects an index that is too far beyond the end of an array with 107: %s",
    (index) => {
      expect(() => applyOperations({ a: [1, 2] }, { [`a.${index}`]: { op: "Set", value: 1 } })).toThrow(
        expect.objectContaining({ code: 107 }),
      );
    },
  );

  it("pads an array with as many items as the limit", () => {
    const { a } = applyOperations({ a: [1, 2] }, { "a.1002": { op: "Set", value: 3 } });
    expect(a).toHaveLength(1_003);
  });

  it("makes arrays for missing fields and null where the class has arrays", () => {
    const lists = new Set(["a", "b", "c"]);
    const operations = {
      "a.1": { op: "Set", value: 2 },
      "b.0.k": { op: "Set", value: 1 },
      "c.0": { op: "Delete" },
      "d.0": { op: "Set", value: 1 },
    } as const;
    expect(applyOperations({ b: null }, operations, lists)).toEqual({
      a: [null, 2],
      b: [{ k: 1 }],
      d: { "0": 1 },
    });
    expect(() => applyOperations({}, { "a.x": { op: "Set", value: 1 } }, lists)).toThrow(
      expect.objectContaining({ code: 111 }),
    );
  });

  it("copies an object once, regardless of the number of paths into it", () => {
    let reads = 0;
    const keys = Array.from({ length: 2_000 }, (_, i) => `k${i}`);
    const map: JsonObject = {};
    for (const key of keys) {
      Object.defineProperty(map, key, {
        enumerable: true,
        get() {
          reads++;
          return 1;
        },
      });
    }
    const operations = Object.fromEntries(
      keys.slice(0, 1_000).map((key) => [`map.${key}`, { op: "Set" as const, value: 2 }]),
    );
    applyOperations({ map }, operations);
    expect(reads).toBeLessThan(10_000);
  });

  it("rejects a path through a string with 111", () => {
    expect(() => applyOperations({ a: "x" }, { "a.b": { op: "Set", value: 1 } })).toThrow(
      expect.objectContaining({ code: 111 }),
    );
  });
});

it("isResultReturned() is true for operations whose result the client cannot know", () => {
  expect(isResultReturned({ op: "AddUnique", objects: [] })).toBe(true);
  expect(isResultReturned({ op: "Set", value: 1 })).toBe(false);
});

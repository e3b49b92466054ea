import { describe, expect, it } from "vitest";
import { ProtocolError } from "./errors.ts";
import { applyOperation, parseAcl, parseOperation, parsePath, parseQuery } from "./index.ts";
import {
  MAX_ACL_ENTRIES,
  MAX_COMPARED_VALUES,
  MAX_IN_OPERANDS,
  MAX_INCLUDE_PATHS,
  MAX_KEYS,
  MAX_ORDER_KEYS,
  MAX_PATTERNS,
  MAX_POLYGON_POINTS,
  MAX_RELATION_OBJECTS,
  MAX_WHERE_CONDITIONS,
} from "./limits.ts";
import { assertStorable, assertStorableTexts } from "./storableValues.ts";
import { type JsonObject, type JsonValue, jsonEqual, jsonKey } from "./wireValues.ts";

const repeat = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));
const pointer = (i: number) => ({ __type: "Pointer", className: "C", objectId: `o${i}` });
const where = (value: JsonValue) => () => parseQuery("C", { where: value });
const patterns = (count: number, length = 2) => ({
  a: { $all: repeat(count, (i) => ({ $regex: `^${String(i).padStart(length, "x")}` })) },
});
const nested = (className: string, inner: JsonObject) => ({ a: { $inQuery: { className, where: inner } } });

function errorOf(work: () => unknown): { code: number; message: string } | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof ProtocolError) return { code: error.code, message: error.message };
    throw error;
  }
}

describe("the limits of a request", () => {
  it.each<[string, () => unknown, number]>([
    ["empty branches", where({ $or: repeat(MAX_WHERE_CONDITIONS + 1, () => ({})) }), 102],
    ["empty branches of branches", where({ $or: repeat(40, () => ({ $and: repeat(40, () => ({})) })) }), 102],
    ["operators on one field", where({ $and: repeat(600, () => ({ a: { $gt: 1, $lt: 2 } })) }), 102],
    ["conditions of nested queries", where(nested("D", { $or: repeat(1_000, () => ({ b: 1 })) })), 102],
    ["values in one list", where({ a: { $in: repeat(MAX_IN_OPERANDS + 1, String) } }), 102],
    [
      "values in many lists",
      where({ $and: repeat(11, () => ({ a: { $nin: repeat(2_000, String) } })) }),
      102,
    ],
    ["objects in a list", where({ a: { $in: repeat(MAX_WHERE_CONDITIONS + 1, (i) => ({ i })) } }), 102],
    [
      "keys of an object to compare with",
      where({ a: Object.fromEntries(repeat(MAX_COMPARED_VALUES + 1, (i) => [`k${i}`, i])) }),
      102,
    ],
    ["items of arrays to compare with", where({ a: repeat(60, () => repeat(100, String)) }), 102],
    [
      "values of objects in lists",
      where({ a: { $in: repeat(600, (i) => ({ i, b: repeat(10, String) })) } }),
      102,
    ],
    [
      "values that an array has to hold",
      where({ a: { $all: repeat(MAX_WHERE_CONDITIONS + 1, String) } }),
      102,
    ],
    ["patterns", where(patterns(MAX_PATTERNS + 1)), 102],
    [
      "instructions of patterns",
      where({ $or: repeat(3, () => ({ a: { $regex: "x{1000}y{1000}z{1000}a{1000}" } })) }),
      102,
    ],
    ["text of patterns", where(patterns(20, 900)), 102],
    [
      "points of a polygon",
      where({ a: { $geoWithin: { $polygon: repeat(MAX_POLYGON_POINTS + 1, () => [1, 2]) } } }),
      102,
    ],
    ["order keys", () => parseQuery("C", { order: repeat(MAX_ORDER_KEYS + 1, () => "a").join() }), 102],
    ["include paths", () => parseQuery("C", { include: repeat(MAX_INCLUDE_PATHS + 1, (i) => `a${i}`) }), 102],
    [
      "paths that keys lead along",
      () => parseQuery("C", { keys: repeat(MAX_INCLUDE_PATHS + 1, (i) => `a${i}.b`) }),
      102,
    ],
    ["keys", () => parseQuery("C", { keys: repeat(MAX_KEYS + 1, (i) => `a${i}`) }), 102],
    ["excluded keys", () => parseQuery("C", { excludeKeys: ",".repeat(5_000_000) }), 102],
    ["objects to skip", () => parseQuery("C", { skip: 1e300 }), 102],
    [
      "a where as a text of many values",
      () => parseQuery("C", { where: `{"a":[${"[],".repeat(100_000)}[]]}` }),
      107,
    ],
    ["segments of a path", () => parsePath(".".repeat(1_000_000)), 105],
    ["a long path", () => parsePath(`a.${"b".repeat(3_000)}`), 105],
    [
      "ACL entries",
      () => parseAcl(Object.fromEntries(repeat(MAX_ACL_ENTRIES + 1, (i) => [`u${i}`, {}]))),
      123,
    ],
    ["a long role name in an ACL", () => parseAcl({ [`role:${"r".repeat(200)}`]: { read: true } }), 123],
    [
      "related objects",
      () => parseOperation({ __op: "AddRelation", objects: repeat(MAX_RELATION_OBJECTS + 1, pointer) }),
      107,
    ],
    [
      "related objects of a Batch",
      () =>
        parseOperation({
          __op: "Batch",
          ops: repeat(5, () => ({ __op: "AddRelation", objects: repeat(5_000, pointer) })),
        }),
      107,
    ],
    [
      "operations of a Batch",
      () => parseOperation({ __op: "Batch", ops: repeat(101, () => ({ __op: "AddRelation", objects: [] })) }),
      107,
    ],
    ["a NUL in a saved string", () => assertStorableTexts({ a: ["b\0"] }), 107],
    ["half of a surrogate pair in a saved string", () => assertStorableTexts("\ud800"), 107],
    ["half of a surrogate pair in a key", () => assertStorable({ "\udc00": 1 }), 121],
    ["a NUL in a list of a where", where({ a: { $in: ["\0"] } }), 107],
    ["half of a surrogate pair in an object of a where", where({ a: { b: { c: "\ud800" } } }), 107],
    ["an Increment beyond all numbers", () => applyOperation(1e308, { op: "Increment", amount: 1e308 }), 111],
  ])("are exceeded by %s", (_, work, code) => {
    expect(errorOf(work)?.code).toBe(code);
  });

  it.each<[string, () => unknown]>([
    ["20,000 values in a list", where({ a: { $in: repeat(MAX_IN_OPERANDS, String) } })],
    ["5,000 items of an array to compare with", where({ a: repeat(MAX_COMPARED_VALUES, String) })],
    ["8,000 pointers in a list", where({ a: { $in: repeat(8_000, pointer) } })],
    ["1,000 conditions", where(Object.fromEntries(repeat(MAX_WHERE_CONDITIONS, (i) => [`f${i}`, i])))],
    ["100 beginnings of texts", where(patterns(MAX_PATTERNS))],
    [
      "polygons of 1,000 points",
      where({ a: { $geoWithin: { $polygon: repeat(MAX_POLYGON_POINTS, () => [1, 2]) } } }),
    ],
    ["many keys below one include", () => parseQuery("C", { keys: repeat(500, (i) => `a.b${i}`) })],
    [
      "20,000 related objects",
      () => parseOperation({ __op: "AddRelation", objects: repeat(MAX_RELATION_OBJECTS, pointer) }),
    ],
    ["emoji and other characters beyond the first plane", () => assertStorableTexts("\u{1f600}")],
  ])("allow %s", (_, work) => {
    expect(errorOf(work)).toBeUndefined();
  });
});

describe("array operations", () => {
  const values: JsonValue[] = [
    1,
    -0,
    0,
    "1",
    true,
    null,
    [],
    [1, [2]],
    {},
    { a: 1, b: { c: 2 } },
    { b: { c: 2 }, a: 1 },
    pointer(1),
    { ...pointer(1), extra: true },
    pointer(2),
    { __type: "Pointer", className: "C" },
    '{"a":1}',
  ];

  it("consider exactly the equal values as equal", () => {
    for (const a of values) {
      for (const b of values) {
        expect(jsonKey(a) === jsonKey(b), `${JSON.stringify(a)} ${JSON.stringify(b)}`).toBe(jsonEqual(a, b));
      }
    }
  });

  it("read each value only a few times, regardless of their number", () => {
    let reads = 0;
    const counted = (name: string): JsonObject => ({
      get name() {
        reads++;
        return name;
      },
    });
    const before = repeat(2_000, (i) => counted(`a${i}`));
    const added = applyOperation(before, {
      op: "AddUnique",
      objects: repeat(2_000, (i) => counted(`b${i}`)),
    });
    expect(added).toHaveLength(4_000);
    expect(applyOperation(added, { op: "Remove", objects: before })).toHaveLength(2_000);
    expect(reads).toBeLessThan(20_000);
  });
});

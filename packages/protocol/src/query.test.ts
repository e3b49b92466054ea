import { describe, expect, it } from "vitest";
import { parseQuery, withParsedWhere } from "./query.ts";
import type { JsonObject } from "./wireValues.ts";

describe("withParsedWhere", () => {
  it("parses a where that is a string, and keeps other parameters", () => {
    expect(withParsedWhere({ where: '{"a":{"$gt":1}}', limit: "5" })).toEqual({
      where: { a: { $gt: 1 } },
      limit: "5",
    });
  });

  it.each<[string, JsonObject]>([
    ["is absent", { limit: 5 }],
    ["is an object", { where: { a: 1 } }],
    ["is the text of a list", { where: "[1]" }],
  ])("returns the same parameters if where %s", (_case, params) => {
    expect(withParsedWhere(params)).toBe(params);
  });

  it("throws 107 for a where that is not JSON", () => {
    expect(() => withParsedWhere({ where: "{" })).toThrow(expect.objectContaining({ code: 107 }));
  });
});

describe("parseQuery", () => {
  it("parses typed parameters and strings alike", () => {
    const typed = parseQuery("Post", { where: { a: 1 }, limit: 5, skip: 2, count: 1, order: "a,-b.c" });
    const texts = parseQuery("Post", {
      where: '{"a":1}',
      limit: "5",
      skip: "2",
      count: "1",
      order: "a,-b.c",
    });
    expect(texts).toEqual(typed);
    expect(typed.order).toEqual([
      { path: ["a"], descending: false },
      { path: ["b", "c"], descending: true },
    ]);
  });

  it("accepts the old names of createdAt and updatedAt in an order", () => {
    expect(parseQuery("Post", { order: "-_created_at,_updated_at" }).order).toEqual([
      { path: ["createdAt"], descending: true },
      { path: ["updatedAt"], descending: false },
    ]);
  });

  it("includes the pointers of dotted keys", () => {
    expect(parseQuery("Post", { keys: "title,author.name" }).include).toEqual([["author"]]);
  });

  it("includes the second level of dotted keys in addition to all pointers of the first", () => {
    const keys = "title,author.name,author.company.name";
    expect(parseQuery("Post", { keys, includeAll: true }).include).toEqual([["*"], ["author", "company"]]);
    expect(parseQuery("Post", { keys: "title,author.name", include: "*" }).include).toEqual([["*"]]);
  });

  it("treats a limit of -1 as the default, as old clients send it", () => {
    expect(parseQuery("Post", { limit: -1 }).limit).toBe(100);
  });

  it.each([
    ["an unknown parameter", { wher: {} }, 102],
    ["a limit that is no number", { limit: "many" }, 102],
    ["a negative skip", { skip: -1 }, 102],
    ["an unknown operator", { where: { a: { $explode: 1 } } }, 102],
    ["$where", { where: { $where: "1" } }, 105],
    ["$expr", { where: { $expr: {} } }, 105],
    ["a mix of operators and keys", { where: { a: { $gt: 1, b: 2 } } }, 102],
    ["an operator within a value", { where: { a: { $gt: { $date: "2026-01-01" } } } }, 102],
    ["an $in that is no list", { where: { a: { $in: "x" } } }, 107],
    ["an empty $or", { where: { $or: [] } }, 102],
    ["a where that is no object", { where: [1] }, 102],
    ["a where that is not JSON", { where: "{" }, 107],
    ["a bad key in where", { where: { "a;drop": 1 } }, 105],
    ["a quoted key in where", { where: { 'a"b': 1 } }, 105],
    ["a bad key in order", { order: "a->b" }, 105],
    ["a bad key among keys", { keys: "$$" }, 105],
    ["an internal field", { where: { _rperm: "x" } }, 105],
    ["a way to the prototype", { where: { "a.__proto__.b": 1 } }, 105],
    ["a prototype's key", { where: JSON.parse('{"__proto__":1}') }, 105],
    ["a long regular expression", { where: { a: { $regex: "x".repeat(5_000) } } }, 102],
  ])("rejects %s", (_name, params, code) => {
    expect(() => parseQuery("Post", params)).toThrow(expect.objectContaining({ code }));
  });

  it.each([
    ["foob\\E", "foob"],
    ["\\Qa\\E\\E$", "\\Qa\\E$"],
    ["\\\\E", "\\\\E"],
    ["\\Qa\\E.*\\Qb", "\\Qa\\E.*\\Qb"],
  ])("reads the pattern %s as %s, ignoring an \\E without a quotation", (sent, source) => {
    const { where } = parseQuery("Post", { where: { a: { $regex: sent } } });
    expect(JSON.stringify(where)).toContain(JSON.stringify(source));
  });

  it("rejects deeply nested conditions without recursion", () => {
    let where: unknown = { a: 1 };
    for (let i = 0; i < 10_000; i++) where = { $or: [where] };
    expect(() => parseQuery("Post", { where })).toThrow(expect.objectContaining({ code: 102 }));
  });

  const point = (latitude: number, longitude: number) => ({ __type: "GeoPoint", latitude, longitude });
  it.each([
    [
      "a Polygon",
      {
        __type: "Polygon",
        coordinates: [
          [0, 0],
          [181, 0],
          [0, 9],
        ],
      },
      1,
    ],
    [
      "a list of pairs",
      [
        [0, 0],
        [91, 92],
        [0, 9],
      ],
      1,
    ],
    ["a list of GeoPoints", [point(0, 0), point(91, 0), point(0, 9)], 1],
    ["a list with something else", [point(0, 0), { latitude: 91, longitude: 0 }, point(0, 9)], 107],
  ])("rejects coordinates out of bounds in $polygon as %s", (_form, $polygon, code) => {
    const parse = () => parseQuery("Post", { where: { a: { $geoWithin: { $polygon } } } });
    expect(parse).toThrow(expect.objectContaining({ code }));
  });

  it("accepts the coordinates of $polygon in both orders", () => {
    for (const pair of [
      [80, 170],
      [170, 80],
    ]) {
      const $polygon = { __type: "Polygon", coordinates: [[0, 0], pair, [0, 9]] };
      expect(() => parseQuery("Post", { where: { a: { $geoWithin: { $polygon } } } })).not.toThrow();
    }
  });
});

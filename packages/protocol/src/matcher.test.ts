import { describe, expect, it } from "vitest";
import { compileMatcher } from "./matcher.ts";
import { parseWhere } from "./where.ts";
import type { JsonObject } from "./wireValues.ts";

const post: JsonObject = {
  objectId: "a",
  createdAt: "2026-01-01T00:00:00.000Z",
  title: "Apple",
  likes: 2,
  nothing: null,
  tags: ["x", 3, { k: 1 }],
  place: { city: "Bern", codes: ["3000"] },
  author: { __type: "Pointer", className: "_User", objectId: "u1" },
  due: { __type: "Date", iso: "2026-03-01T00:00:00.000Z" },
};

const regex = (source: string, flags: string) => (text: string) => new RegExp(source, flags).test(text);

describe("compileMatcher", () => {
  it.each([
    [{ title: "Apple" }, true],
    [{ title: "apple" }, false],
    [{ likes: { $gt: 1, $lt: 3 } }, true],
    [{ likes: "2" }, false],
    [{ likes: { $in: [1, 2] } }, true],
    [{ likes: { $nin: [1, 2] } }, false],
    [{ missing: { $ne: 1 } }, true],
    [{ missing: null }, true],
    [{ nothing: { $exists: true } }, true],
    [{ missing: { $exists: false } }, true],
    [{ tags: "x" }, true],
    [{ tags: { k: 1 } }, true],
    [{ tags: { $all: ["x", 3] } }, true],
    [{ tags: { $all: ["x", 4] } }, false],
    [{ "place.city": "Bern" }, true],
    [{ "place.codes": "3000" }, true],
    [{ author: { __type: "Pointer", className: "_User", objectId: "u1" } }, true],
    [{ author: { __type: "Pointer", className: "Other", objectId: "u1" } }, false],
    [{ author: "u1" }, true],
    [{ author: { $ne: "u1" } }, false],
    [{ author: { $in: ["u2", "u1"] } }, true],
    [{ author: { $nin: ["u2", "u1"] } }, false],
    [{ author: { $gte: "u1" } }, false],
    [{ due: { $gt: { __type: "Date", iso: "2026-02-01T00:00:00.000Z" } } }, true],
    [{ createdAt: { $lte: { __type: "Date", iso: "2026-01-01T00:00:00.000Z" } } }, true],
    [{ createdAt: "2026-01-01T00:00:00Z" }, true],
    [{ createdAt: { $gt: "2026-01-01T00:30:00+01:00" } }, true],
    [{ createdAt: { $in: ["2026-01-01"] } }, true],
    [{ createdAt: { $lt: "yesterday" } }, false],
    [{ createdAt: { $ne: "yesterday" } }, true],
    [{ createdAt: { __type: "Date", iso: "2026-01-01T00:00:00.000Z" } }, true],
    [{ createdAt: { $in: [{ __type: "Date", iso: "2026-01-01T00:00:00.000Z" }] } }, true],
    [{ createdAt: { $in: [{ __type: "Date", iso: "2026-01-02T00:00:00.000Z" }] } }, false],
    [{ title: { $gt: { __type: "Date", iso: "0001-01-01T00:00:00.000Z" } } }, false],
    [{ title: { $regex: "^app", $options: "i" } }, true],
    [{ $or: [{ likes: 9 }, { title: "Apple" }] }, true],
    [{ $nor: [{ likes: 9 }, { title: "Apple" }] }, false],
    [{}, true],
  ])("%j → %s", (where, expected) => {
    expect(compileMatcher(parseWhere(where), { regex })(post)).toBe(expected);
  });

  const authors: JsonObject[] = [
    { objectId: "u1", name: "Apple" },
    { objectId: "u2", className: "_User", name: "Pear" },
  ];
  const options = {
    regex,
    subQuery: () => authors,
    text:
      ({ term }: { term: string }) =>
      (text: string) =>
        text.toLowerCase() === term,
  };
  const inQuery = { where: {}, className: "_User" };
  const query = { key: "name", query: inQuery };
  it.each([
    [{ author: { $inQuery: inQuery } }, true],
    [{ author: { $notInQuery: inQuery } }, false],
    [{ missing: { $inQuery: inQuery } }, false],
    [{ missing: { $notInQuery: inQuery } }, true],
    [{ title: { $select: query } }, true],
    [{ title: { $dontSelect: query } }, false],
    [{ author: { $select: { key: "objectId", query: inQuery } } }, true],
    [{ author: { $dontSelect: { key: "objectId", query: inQuery } } }, false],
    [{ author: { $select: { key: "objectId", query: { where: {}, className: "Other" } } } }, false],
    [{ missing: { $dontSelect: query } }, true],
    [{ title: { $text: { $search: { $term: "apple" } } } }, true],
    [{ title: { $text: { $search: { $term: "pear" } } } }, false],
  ])("with sub-queries and text search: %j → %s", (where, expected) => {
    expect(compileMatcher(parseWhere(where), options)(post)).toBe(expected);
    expect(() => compileMatcher(parseWhere(where), { regex })).toThrow("cannot be followed live");
  });

  it("evaluates $relatedTo by the option relatedTo, and as false without it", () => {
    const object = { __type: "Pointer", className: "Folder", objectId: "f" };
    const where = parseWhere({ $relatedTo: { object, key: "posts" } });
    const relatedTo = (condition: { key: string }, id: string) => condition.key === "posts" && id === "a";
    expect(compileMatcher(where, { regex, relatedTo })(post)).toBe(true);
    expect(compileMatcher(where, { regex, relatedTo })({ objectId: "b" })).toBe(false);
    expect(compileMatcher(where, { regex })(post)).toBe(false);
  });

  it("ignores inherited properties", () => {
    expect(compileMatcher(parseWhere({ toString: { $exists: true } }), { regex })({})).toBe(false);
  });
});

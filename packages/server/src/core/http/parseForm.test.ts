import type { JsonObject } from "@purse/protocol";
import { describe, expect, it } from "vitest";
import { addQueryParams, MAX_FORM_FIELDS } from "./parseForm.ts";

function fieldsOf(text: string, known: JsonObject = {}): JsonObject {
  const fields = { ...known };
  addQueryParams(fields, text);
  return fields;
}

describe("fieldsOf()", () => {
  it.each<[string, JsonObject]>([
    ["a=1&b=two", { a: "1", b: "two" }],
    ["a=1&a=2&a=3", { a: ["1", "2", "3"] }],
    ["a[]=1", { a: ["1"] }],
    ["a[]=1&a[]=2", { a: ["1", "2"] }],
    ["a=b%20c+d&%C3%A4=%F0%9F%98%80", { a: "b c d", ä: "😀" }],
    ["a=b=c&d&=e&&", { a: "b=c", d: "", "": "e" }],
    ["a=%zz&b=%", { a: "%zz", b: "%" }],
    ["where[a]=1&where[b][$gt]=2&where[b][$lt]=3", { where: { a: "1", b: { $gt: "2", $lt: "3" } } }],
    ["where[a][$in][]=1&where[a][$in][]=2", { where: { a: { $in: ["1", "2"] } } }],
    ["where[a]=1&where[a][$gt]=2", { where: { a: "1" } }],
    ["where[=1&where[a]b=2&data[a]=3", { "where[": "1", "where[a]b": "2", "data[a]": "3" }],
    ["constructor=1&toString=2", { constructor: "1", toString: "2" }],
    ["", {}],
  ])("parses %s", (text, expected) => {
    expect({ ...fieldsOf(text) }).toEqual(expected);
  });

  it("keeps existing fields", () => {
    expect(fieldsOf("where[a]=1", { where: { b: 1 } })).toEqual({ where: { b: 1 } });
    expect(fieldsOf("a=1&b=2&c=3", { a: { b: 1 }, b: 5 })).toEqual({ a: { b: 1 }, b: 5, c: "3" });
  });

  it.each([
    "__proto__=1",
    "__proto__[]=1",
    "a=1&__proto__=2",
    "where[__proto__]=1",
    "where[a][__proto__][b]=1",
  ])("rejects access to a prototype: %s", (text) => {
    expect(() => fieldsOf(text)).toThrow("Invalid key name: __proto__");
  });

  it("rejects more than the maximum number of fields", () => {
    expect(fieldsOf("a&".repeat(MAX_FORM_FIELDS - 1)).a).toHaveLength(MAX_FORM_FIELDS - 1);
    for (const text of ["a&".repeat(MAX_FORM_FIELDS), "&".repeat(1_000_000), "a=1&".repeat(1_000_000)]) {
      expect(() => fieldsOf(text)).toThrow(/1000 fields at most/);
    }
  });
});

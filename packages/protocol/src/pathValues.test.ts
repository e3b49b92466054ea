import { describe, expect, it } from "vitest";
import { createPathReader, hasValue, listOf, TraversedValues } from "./pathValues.ts";
import type { JsonObject } from "./wireValues.ts";

const order: JsonObject = {
  name: "Apple",
  list: ["x", ["y"]],
  items: [{ status: "bar", tags: ["a", "b"] }, { status: null }, 1, [{ status: "inner" }], {}],
  box: { maker: { town: "Rome" } },
};

describe("createPathReader", () => {
  it.each([
    ["a field", ["name"], "Apple"],
    ["a key of a key", ["box", "maker", "town"], "Rome"],
    ["an item by its index", ["list", "0"], "x"],
    ["a key of an item by its index", ["items", "0", "status"], "bar"],
    ["nothing for a missing field", ["missing"], undefined],
    ["nothing for a key of a text", ["name", "length"], undefined],
    ["nothing for an index beyond the array", ["list", "9"], undefined],
    ["nothing for a key that an object inherits", ["box", "toString"], undefined],
  ] as [string, [string, ...string[]], unknown][])("reads %s", (_name, path, expected) => {
    expect(createPathReader(path)(order)).toEqual(expected);
  });

  it("reads a key after an array from each item that is an object", () => {
    const found = createPathReader(["items", "status"])(order);
    expect(found).toBeInstanceOf(TraversedValues);
    expect(found).toMatchObject({ values: ["bar", null], hasMissing: true, isNull: true });
  });

  it("reads the items of an array within an array that an index selects", () => {
    expect(createPathReader(["items", "3", "status"])(order)).toMatchObject({ values: ["inner"] });
  });

  it("finds no values, which counts as null, in an array without objects", () => {
    const found = createPathReader(["list", "k"])(order);
    expect(hasValue(found)).toBe(false);
    expect(found).toMatchObject({ values: [], hasMissing: false, isNull: true });
  });
});

describe("listOf", () => {
  it("returns the items of an array as they are", () => {
    expect(listOf(["x", ["y"]])).toEqual(["x", ["y"]]);
  });

  it("returns the values of a path through arrays, with nested arrays flattened", () => {
    expect(listOf(createPathReader(["items", "tags"])(order))).toEqual(["a", "b"]);
  });

  it("returns undefined for other values", () => {
    expect(listOf("x")).toBeUndefined();
    expect(listOf(undefined)).toBeUndefined();
  });
});

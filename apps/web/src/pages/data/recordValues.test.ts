import { GeoPoint, ParseObject } from "@purse/client";
import type { JsonValue } from "@purse/protocol";
import { describe, expect, it } from "vitest";
import { formatValue, isSame, parseText, toJson, toText, toValues, typeOf } from "./recordValues.ts";

describe("parseText()", () => {
  it.each([
    ["12,5", 12.5],
    ["-3e2", -300],
    ["1,234.5", 1234.5],
    ["", null],
  ])("reads the number %j as %j", (text, value) => {
    expect(parseText(text, { name: "n", type: "Number" }, "en")).toEqual({ value });
  });

  it.each(["12.5.1", "1,234", "1e999", "x"])("rejects the number %j", (text) => {
    expect(parseText(text, { name: "n", type: "Number" }, "en")).toHaveProperty("problem");
  });

  it.each(["en", "de", "es", "fr", "ja", "zh-Hans"])("reads back what toText() shows, in %s", (locale) => {
    const iso = "2026-03-01T10:30:15.000Z";
    const geo: JsonValue = { __type: "GeoPoint", latitude: 1, longitude: 2 };
    const pointer: JsonValue = { __type: "Pointer", className: "Note", objectId: "a1" };
    for (const value of [
      "text",
      1.5,
      1.234,
      -2e-7,
      true,
      { __type: "Date", iso },
      geo,
      pointer,
      [1, "a"],
      { a: 1 },
    ]) {
      const field = { name: "field", type: "Object" as const, ...typeOf(value) };
      const parsed = parseText(toText(value, field, locale), field, locale);
      expect(parsed.problem === undefined && isSame(parsed.value, value), JSON.stringify(value)).toBe(true);
    }
  });
});

it("toText() of a missing pointer starts with the target class", () => {
  expect(toText(undefined, { name: "ship", type: "Pointer", targetClass: "Ship" }, "en")).toBe("Ship:");
});

it("formatValue() formats numbers and dates by locale on one line", () => {
  expect(formatValue({ a: [1] }, "en")).toBe('{"a":[1]}');
  expect(formatValue(1234.5, "en")).toBe("1,234.5");
  expect(formatValue({ __type: "Pointer", className: "Note", objectId: "a1" }, "en")).toBe("Note a1");
  expect(formatValue(undefined, "en")).toBe("");
});

it("toJson() keeps pointers, and toValues() omits null", () => {
  const target = ParseObject.fromJSON({ className: "Ship", objectId: "s1", name: "Andrea" });
  const record = ParseObject.fromJSON({ className: "Voyage", objectId: "v1" });
  record.set("ship", target);
  expect(toJson(record).ship).toEqual({ __type: "Pointer", className: "Ship", objectId: "s1" });
  const values = toValues("Voyage", { place: { __type: "GeoPoint", latitude: 1, longitude: 2 }, gone: null });
  expect(values.place).toBeInstanceOf(GeoPoint);
  expect(values).not.toHaveProperty("gone");
});

import { GeoPoint, ParseObject } from "@purse/client";
import { describe, expect, it } from "vitest";
import { formatValue, isSame, parseValue, toDraft, typeOf, type ValueType } from "./values.ts";

const parseText = (type: ValueType, text: string, isUtc = false) => parseValue({ type, text, isUtc }, "en");

describe("what is typed", () => {
  it.each([
    ["string", " as it is ", " as it is "],
    ["number", "12,5", 12.5],
    ["number", "-3e2", -300],
    ["number", "1,234.5", 1234.5],
    ["boolean", "true", true],
    ["array", "[1, 2]", [1, 2]],
    ["object", '{"a": 1}', { a: 1 }],
  ] as const)("is read as a %s: %s", (type, text, value) => {
    expect(parseText(type, text)).toEqual({ value });
  });

  it("is a date in the zone that was chosen", () => {
    expect(parseText("date", "2026-03-01T10:30", true)).toEqual({ value: new Date("2026-03-01T10:30:00Z") });
    expect(parseText("date", "2026-03-01T10:30")).toEqual({ value: new Date("2026-03-01T10:30") });
  });

  it("is a place in degrees", () => {
    const parsed = parseText("geo", "47.3769, 8.5417");
    expect("value" in parsed && parsed.value).toBeInstanceOf(GeoPoint);
  });

  it("is a pointer by class and id", () => {
    const parsed = parseText("pointer", "Note:abc123");
    expect("value" in parsed && typeOf(parsed.value)).toBe("pointer");
  });

  it.each([
    ["number", "12.5.1"],
    ["number", "1,234"],
    ["number", ""],
    ["number", "1e999"],
    ["date", ""],
    ["geo", "91, 0"],
    ["geo", "47"],
    ["pointer", "Note:"],
    ["file", ""],
    ["array", '{"a": 1}'],
    ["object", "[1]"],
    ["object", "{a: 1}"],
  ] as const)("is rejected as %s: %s", (type, text) => {
    expect(parseText(type, text)).toHaveProperty("problem");
  });
});

describe("a value", () => {
  it("comes back from its editor as it was", () => {
    const at = new Date("2026-03-01T10:30:15");
    for (const value of [
      "text",
      1.5,
      1.234,
      -2e-7,
      true,
      at,
      new GeoPoint(1, 2),
      [1, "a"],
      { a: { b: 1 } },
    ]) {
      const type = typeOf(value) ?? "string";
      for (const locale of ["en", "de"]) {
        const parsed = parseValue(toDraft(value, type, locale), locale);
        expect("value" in parsed && isSame(parsed.value, value), `${value} in ${locale}`).toBe(true);
      }
    }
  });

  it("is formatted in one line", () => {
    expect(formatValue({ a: [1] }, "en")).toBe('{"a":[1]}');
    expect(formatValue(1234.5, "en")).toBe("1,234.5");
    expect(formatValue(ParseObject.fromJSON({ className: "Note", objectId: "a1" }), "en")).toBe("Note a1");
    expect(formatValue(undefined, "en")).toBe("");
  });
});

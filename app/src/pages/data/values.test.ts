import { GeoPoint, ParseObject } from "@purse/client";
import { describe, expect, it } from "vitest";
import { isSame, parse, summary, typedOf, typeOf, type ValueType } from "./values.ts";

const read = (type: ValueType, text: string, isUtc = false) => parse({ type, text, isUtc }, "en");

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
    expect(read(type, text)).toEqual({ value });
  });

  it("is a date in the zone that was chosen", () => {
    expect(read("date", "2026-03-01T10:30", true)).toEqual({ value: new Date("2026-03-01T10:30:00Z") });
    expect(read("date", "2026-03-01T10:30")).toEqual({ value: new Date("2026-03-01T10:30") });
  });

  it("is a place in degrees", () => {
    const parsed = read("geo", "47.3769, 8.5417");
    expect("value" in parsed && parsed.value).toBeInstanceOf(GeoPoint);
  });

  it("is a pointer by class and id", () => {
    const parsed = read("pointer", "Note:abc123");
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
  ] as const)("is told to be no %s: %s", (type, text) => {
    expect(read(type, text)).toHaveProperty("problem");
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
        const parsed = parse(typedOf(value, type, locale), locale);
        expect("value" in parsed && isSame(parsed.value, value), `${value} in ${locale}`).toBe(true);
      }
    }
  });

  it("is told in one line", () => {
    expect(summary({ a: [1] }, "en")).toBe('{"a":[1]}');
    expect(summary(1234.5, "en")).toBe("1,234.5");
    expect(summary(ParseObject.fromJSON({ className: "Note", objectId: "a1" }), "en")).toBe("Note a1");
    expect(summary(undefined, "en")).toBe("");
  });
});

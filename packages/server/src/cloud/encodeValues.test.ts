import { ParseObject } from "@purse/client";
import { describe, expect, it } from "vitest";
import { decodeParams, encodeResult } from "./encodeValues.ts";

describe("decodeParams()", () => {
  it("returns parameters without dates, pointers and files as they were sent", () => {
    const params = { name: "Ada", tags: ["a", { deep: true }], nothing: null };
    expect(decodeParams(params)).toBe(params);
  });

  it("decodes a date in a list within an object", () => {
    const iso = "2026-01-02T03:04:05.678Z";
    const decoded = decodeParams({ outer: { dates: [{ __type: "Date", iso }] } });
    expect(decoded).toEqual({ outer: { dates: [expect.any(Date)] } });
  });

  it("decodes a pointer to an object of the SDK", () => {
    const decoded = decodeParams({ note: { __type: "Pointer", className: "Note", objectId: "abc" } });
    expect(decoded.note).toBeInstanceOf(ParseObject);
    expect(decoded.note).toMatchObject({ className: "Note", id: "abc" });
  });
});

describe("encodeResult()", () => {
  it.each(["text", "", 0, -1.5, true, false, null, undefined])("returns %j as it is", (value) => {
    expect(encodeResult(value)).toBe(value);
  });

  it("encodes a date by its type", () => {
    const date = new Date("2026-01-02T03:04:05.678Z");
    expect(encodeResult({ date })).toEqual({ date: { __type: "Date", iso: date.toISOString() } });
  });
});

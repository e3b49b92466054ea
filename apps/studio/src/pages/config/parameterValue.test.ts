import { describe, expect, it } from "vitest";
import { parseAs, toEditable } from "./parameterValue.ts";

describe("an edited config value", () => {
  it.each([
    ["a string", "12"],
    ["a number", 1.5],
    ["a boolean", false],
    ["a date", { __type: "Date", iso: "2026-01-31T12:00:00.000Z" }],
    ["a list", [1, "a"]],
    ["an object", { a: { b: 1 } }],
    ["a GeoPoint", { __type: "GeoPoint", latitude: 1, longitude: 2 }],
  ])("is still %s after formatting and parsing", (_, value) => {
    const { type, text } = toEditable(value);
    expect(parseAs(type, text)).toEqual({ value });
  });

  it.each([
    ["Number", ""],
    ["Number", "ten"],
    ["Number", "1e999"],
    ["Date", "tomorrow"],
    ["Array", "{}"],
    ["Object", "[]"],
    ["Object", "null"],
    ["Object", "{"],
  ] as const)("is rejected with a problem if it is not a valid %s: %s", (type, text) => {
    expect(parseAs(type, text)).toEqual({ problem: expect.stringMatching(/^(Enter|Invalid)/) });
  });
});

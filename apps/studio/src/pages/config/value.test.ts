import { describe, expect, it } from "vitest";
import { parseAs, toEditable } from "./value.ts";

describe("a value of the config, as people write it", () => {
  it.each([
    ["a text", "12"],
    ["a number", 1.5],
    ["a switch", false],
    ["a time", { __type: "Date", iso: "2026-01-31T12:00:00.000Z" }],
    ["a list", [1, "a"]],
    ["an object", { a: { b: 1 } }],
    ["a place", { __type: "GeoPoint", latitude: 1, longitude: 2 }],
  ])("stays %s", (_, value) => {
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
  ] as const)("is told why it is no %s: %s", (type, text) => {
    expect(parseAs(type, text)).toEqual({ problem: expect.stringMatching(/^(Enter|Invalid)/) });
  });
});

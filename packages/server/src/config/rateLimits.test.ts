import { parseAt } from "@purse/kernel";
import { describe, expect, it } from "vitest";
import { rateLimitsSchema } from "./rateLimits.ts";

const GOOD = { path: "/login", windowSeconds: 60, count: 5 };

const parse = (value: unknown) => parseAt("rateLimits", rateLimitsSchema, value);

describe("rate limits in the config file", () => {
  it("count by address, for all methods and without the master key by default", () => {
    expect(parse(undefined)).toEqual([]);
    expect(parse([GOOD])).toEqual([{ ...GOOD, by: "ip", methods: undefined, includeMasterKey: false }]);
  });

  it.each([
    [{}, "expected array"],
    [[5], '"rateLimits[0]" of the config file'],
    [[GOOD, { ...GOOD, path: "login" }], '"rateLimits[1].path" of the config file: it must be like'],
    [[{ ...GOOD, path: "" }], "[0].path"],
    [[{ ...GOOD, path: "/a/*/b" }], "[0].path"],
    [[{ ...GOOD, windowSeconds: 0 }], "[0].windowSeconds"],
    [[{ ...GOOD, windowSeconds: "60" }], "[0].windowSeconds"],
    [[{ ...GOOD, count: 1.5 }], "[0].count"],
    [[{ ...GOOD, by: "planet" }], "[0].by"],
    [[{ ...GOOD, methods: ["PATCH"] }], "[0].methods"],
    [[{ ...GOOD, methods: [] }], "[0].methods"],
    [[{ ...GOOD, includeMasterKey: 1 }], "[0].includeMasterKey"],
    [[{ ...GOOD, requestCount: 1 }], '"requestCount"'],
  ])("%j is rejected with a clear message", (value, message) => {
    expect(() => parse(value)).toThrow(message);
  });
});

import { describe, expect, it } from "vitest";
import { parseRateLimits } from "./rateLimits.ts";

const GOOD = { path: "/login", windowSeconds: 60, count: 5 };

describe("limits in the config file", () => {
  it("are by default counted by address, for all methods, and not for the master key", () => {
    expect(parseRateLimits(undefined)).toEqual([]);
    expect(parseRateLimits([GOOD])).toEqual([
      { ...GOOD, by: "ip", methods: undefined, includeMasterKey: false },
    ]);
  });

  it.each([
    [{}, "a list"],
    [[5], "limit 1: it must be"],
    [[GOOD, { ...GOOD, path: "login" }], "limit 2: path must be"],
    [[{ ...GOOD, path: "" }], "path must be"],
    [[{ ...GOOD, path: "/a/*/b" }], "path must be"],
    [[{ ...GOOD, windowSeconds: 0 }], "windowSeconds must be"],
    [[{ ...GOOD, windowSeconds: "60" }], "windowSeconds must be"],
    [[{ ...GOOD, count: 1.5 }], "count must be"],
    [[{ ...GOOD, by: "planet" }], "by must be"],
    [[{ ...GOOD, methods: ["PATCH"] }], "methods must be"],
    [[{ ...GOOD, methods: [] }], "methods must be"],
    [[{ ...GOOD, includeMasterKey: 1 }], "includeMasterKey must be"],
    [[{ ...GOOD, requestCount: 1 }], '"requestCount" is not one of'],
  ])("%j is rejected with a clear message", (value, message) => {
    expect(() => parseRateLimits(value)).toThrow(message);
  });
});

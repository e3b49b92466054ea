import { describe, expect, it } from "vitest";
import { methodOf } from "./methodNames.ts";

describe("methodOf()", () => {
  it.each([
    ["0xa9059cbb", "transfer"],
    ["0x3ccfd60b", "withdraw"],
    ["0x474cf53d", "depositETH"],
    ["0xfb0f3ee1", "fulfillBasicOrder"],
  ])("names the function with the selector %s %s", (selector, name) => {
    expect(methodOf(selector)).toBe(name);
    expect(methodOf(`${selector.toUpperCase().replace("X", "x")}${"0".repeat(64)}`)).toBe(name);
  });

  it("returns the selector of an unknown function", () => {
    expect(methodOf("0xDEADBEEF00")).toBe("0xdeadbeef");
  });

  it("returns undefined without call data", () => {
    expect(methodOf("0x")).toBeUndefined();
  });
});

import { describe, expect, it } from "vitest";
import { displayAmount, exactAmount, parseAmount } from "./amount.ts";

describe("parseAmount", () => {
  it.each([
    ["1", 18, 10n ** 18n],
    ["1.5", 18, 15n * 10n ** 17n],
    ["1,5", 18, 15n * 10n ** 17n],
    [".5", 1, 5n],
    ["0.000000000000000001", 18, 1n],
    ["12", 0, 12n],
  ])("reads %s with %i decimals", (text, decimals, expected) => {
    expect(parseAmount(text, decimals)).toBe(expected);
  });

  it.each(["", ".", "-1", "1e5", "1.2.3", "abc", "0x1", "1 000"])("refuses %j", (text) => {
    expect(parseAmount(text, 18)).toBeUndefined();
  });

  it("refuses more decimals than the token has", () => {
    expect(parseAmount("1.23", 1)).toBeUndefined();
  });
});

describe("exactAmount", () => {
  it("loses no digit", () => {
    expect(exactAmount(1234567890123456789012345n, 18)).toBe("1234567.890123456789012345");
    expect(exactAmount(5n, 0)).toBe("5");
  });
});

describe("displayAmount", () => {
  it("groups and cuts, never rounding up", () => {
    expect(displayAmount(1999999999n, 6, "en")).toBe("1,999.999999");
    expect(displayAmount(1_999_999_999_999n, 9, "en")).toBe("1,999.999999");
  });

  it("does not show something as nothing", () => {
    expect(displayAmount(1n, 18, "en")).toBe("< 0.000001");
    expect(displayAmount(0n, 18, "en")).toBe("0");
  });

  it("writes the point as the locale does", () => {
    expect(displayAmount(15n, 1, "de")).toBe("1,5");
  });
});

import { createTranslator } from "@purse/ui";
import { describe, expect, it } from "vitest";
import {
  amountProblem,
  exactAmount,
  formatAmount,
  formatExactAmount,
  formatInputAmount,
  formatSignedAmount,
  parseAmount,
  parseExactAmount,
} from "./amount.ts";

describe("parseAmount()", () => {
  it.each([
    ["1", 18, 10n ** 18n],
    ["1.5", 18, 15n * 10n ** 17n],
    ["1,5", 18, 15n * 10n ** 17n],
    [".5", 1, 5n],
    ["0.000000000000000001", 18, 1n],
    ["12", 0, 12n],
    ["1,234.5", 1, 12_345n],
    ["1.234,5", 1, 12_345n],
    ["1 234,5", 1, 12_345n],
    ["1'234.5", 1, 12_345n],
    ["1,000", 0, 1_000n],
  ])("reads %s with %i decimals in English", (text, decimals, value) => {
    expect(parseAmount(text, decimals, "en")).toEqual({ value });
  });

  it("reads what formatAmount() returns in the same locale, or reports an ambiguous amount", () => {
    for (const locale of ["en", "de", "es", "fr", "ja", "zh-Hans"]) {
      for (const value of [1_234_567n * 10n ** 18n, 12_345n * 10n ** 17n, 5n * 10n ** 17n]) {
        expect(parseAmount(formatAmount(value, 18, locale), 18, locale)).toEqual({ value });
      }
    }
    for (const locale of ["en", "de", "ja", "zh-Hans"]) {
      expect(parseAmount(formatAmount(1_000n * 10n ** 18n, 18, locale), 18, locale)).toEqual({
        reason: "ambiguous",
        readings: ["1000", "1"],
      });
    }
  });

  it.each(["", ".", "-1", "1e5", "1.2.3", "abc", "0x1", "1".repeat(31)])("rejects %j", (text) => {
    expect(parseAmount(text, 18, "en")).toEqual({ reason: "invalid" });
  });

  it("rejects more decimals than the token has", () => {
    expect(parseAmount("1.23", 1, "en")).toEqual({ reason: "decimals" });
  });
});

describe("amountProblem()", () => {
  it("names both readings of an ambiguous amount", () => {
    expect(
      amountProblem({ reason: "ambiguous", readings: ["1000", "1"] }, 18, createTranslator("en").t),
    ).toBe("This could mean 1000 or 1. Enter one of them.");
  });
});

describe("parseExactAmount()", () => {
  it("reads what exactAmount() returns, and nothing else", () => {
    expect(parseExactAmount("1234567.890123456789012345", 18)).toBe(1234567890123456789012345n);
    expect(parseExactAmount("5", 0)).toBe(5n);
    for (const text of ["1,5", "1.", ".5", "1 000", "1.23"])
      expect(parseExactAmount(text, 1)).toBeUndefined();
  });
});

describe("exactAmount", () => {
  it("keeps every digit", () => {
    expect(exactAmount(1234567890123456789012345n, 18)).toBe("1234567.890123456789012345");
    expect(exactAmount(5n, 0)).toBe("5");
  });
});

describe("formatInputAmount()", () => {
  it("returns every digit, so that parseAmount() reads the same value in the same locale", () => {
    const value = 1_234n * 10n ** 15n;
    for (const locale of ["en", "de", "de-CH", "es", "fr", "ja", "zh-Hans"]) {
      expect(parseAmount(formatInputAmount(value, 18, locale), 18, locale)).toEqual({ value });
    }
    expect(formatInputAmount(value, 18, "de")).toBe("1,234");
  });
});

describe("formatAmount", () => {
  it("groups digits and truncates decimals without rounding up", () => {
    expect(formatAmount(1999999999n, 6, "en")).toBe("1,999.999999");
    expect(formatAmount(1_999_999_999_999n, 9, "en")).toBe("1,999.999999");
  });

  it("shows two decimals from a million on", () => {
    expect(formatAmount(1_234_567_890_123n, 6, "en")).toBe("1,234,567.89");
    expect(formatAmount(10n ** 45n, 18, "en")).toBe("1,000,000,000,000,000,000,000,000,000");
  });

  it("does not show a small amount as zero", () => {
    expect(formatAmount(1n, 18, "en")).toBe("< 0.000001");
    expect(formatAmount(0n, 18, "en")).toBe("0");
  });

  it("uses the decimal separator of the locale", () => {
    expect(formatAmount(15n, 1, "de")).toBe("1,5");
  });
});

describe("formatExactAmount()", () => {
  it("keeps every digit, grouped for the locale", () => {
    const value = 1234567890123456789012345n;
    expect(formatExactAmount(value, 18, "en")).toBe("1,234,567.890123456789012345");
    expect(formatExactAmount(value, 18, "de")).toBe("1.234.567,890123456789012345");
    expect(formatExactAmount(5n, 0, "de")).toBe("5");
  });
});

describe("formatSignedAmount()", () => {
  it("puts the sign before the digits, and keeps all digits of very small amounts", () => {
    expect(formatSignedAmount("+", 1_500_000n, 6, "en")).toBe("+1.5");
    expect(formatSignedAmount("−", 1n, 18, "en")).toBe("−0.000000000000000001");
    expect(formatSignedAmount("+", 1n, 18, "de")).toBe("+0,000000000000000001");
  });
});

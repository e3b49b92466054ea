import { expect, it } from "vitest";
import { formatCount, formatNumber } from "./numbers.ts";
import { formatCompact, formatPercent, formatSignificant } from "./shares.ts";

it.each([
  [1_234_567.891, "en", "1,234,567.89"],
  [1_234_567.891, "de", "1.234.567,89"],
  [1e21, "en", "1,000,000,000,000,000,000,000"],
  [-0.5, "en", "-0.5"],
])("formatNumber(%d) in %s is %s, without scientific notation", (value, language, text) => {
  expect(formatNumber(value, language)).toBe(text);
});

it("formatCount() has no label between integers", () => {
  expect([0, 0.5, 1, 1.2, 1_200].map((value) => formatCount(value, "en"))).toEqual([
    "0",
    "",
    "1",
    "",
    "1,200",
  ]);
});

it("formatNumber() keeps all digits of integers beyond the precision of numbers", () => {
  expect(formatNumber(12_345_678_901_234_567_890n, "en")).toBe("12,345,678,901,234,567,890");
});

it.each([
  [1_234_567.891, "1,234,567.89"],
  [1_978.3245, "1,978.32"],
  [5, "5"],
  [0.0012345, "0.001235"],
  [0.00000012, "0.00000012"],
  [1.2345e-11, "0.00000000001235"],
  [1e-16, "< 0.000000000000001"],
  [0, "0"],
])("formatSignificant(%d) is %s", (value, text) => {
  expect(formatSignificant(value, "en")).toBe(text);
});

it.each([
  [0.1234, "12.34%"],
  [1, "100%"],
  [0.00001, "< 0.01%"],
  [-0.00001, "> -0.01%"],
  [0, "0%"],
  [-0.0123, "-1.23%"],
])("formatPercent(%d) is %s", (share, text) => {
  expect(formatPercent(share, "en")).toBe(text);
});

it("formatPercent() has as many decimals as demanded", () => {
  expect(formatPercent(0.1234, "en", 1)).toBe("12.3%");
  expect(formatPercent(0.0004, "en", 1)).toBe("< 0.1%");
});

it("formatCompact() shortens large numbers in the language", () => {
  expect([formatCompact(1_234, "en"), formatCompact(12_000, "ja"), formatCompact(999, "en")]).toEqual([
    "1.2K",
    "1.2万",
    "999",
  ]);
});

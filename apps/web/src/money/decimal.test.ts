import { describe, expect, it } from "vitest";
import { parseDecimal } from "./decimal.ts";

const GROUPED = [
  "1,234.5",
  "1.234,5",
  "1 234,5",
  "1 234.5",
  "1'234.5",
  "1’234.5",
  "1\u00a0234,5",
  "1\u202f234,5",
  "1234,5",
  "1234.5",
];

describe.each(["en", "de", "es", "fr", "ja", "zh-Hans"])("parseDecimal() in %s", (locale) => {
  it.each(GROUPED)("reads the pasted %j as 1234.5", (text) => {
    expect(parseDecimal(text, locale)).toEqual({ integer: "1234", fraction: "5" });
  });

  it.each([
    ["1,234,567", "1234567", ""],
    ["1.234.567", "1234567", ""],
    ["12,34,567.8", "1234567", "8"],
    ["1 000", "1000", ""],
    ["0,500", "0", "500"],
    ["0.500", "0", "500"],
    [",5", "", "5"],
    [".5", "", "5"],
    ["5,", "5", ""],
    [" 7 ", "7", ""],
    ["1234,567", "1234", "567"],
    ["1234.567", "1234", "567"],
    ["1 234,567", "1234", "567"],
    ["１２．５", "12", "5"],
    ["１，２３４．５", "1234", "5"],
  ])("reads the unambiguous %j", (text, integer, fraction) => {
    expect(parseDecimal(text, locale)).toEqual({ integer, fraction });
  });

  it.each([
    "",
    ".",
    ",",
    "-1",
    "1e5",
    "0x1",
    "abc",
    "1.2.3",
    "1,2,3",
    "1 00",
    "1  000",
    "1,23.4",
    "1.234,5,6",
    "1'000'00",
    "10²",
  ])("rejects %j as invalid", (text) => {
    expect(parseDecimal(text, locale)).toEqual({ reason: "invalid" });
  });
});

describe("parseDecimal() with one separator before three digits", () => {
  it("reads the decimal separator of the locale", () => {
    expect(parseDecimal("1.234", "en")).toEqual({ integer: "1", fraction: "234" });
    expect(parseDecimal("1,234", "de")).toEqual({ integer: "1", fraction: "234" });
    expect(parseDecimal("1.234", "de-CH")).toEqual({ integer: "1", fraction: "234" });
  });

  it("rejects another separator as ambiguous, with both readings", () => {
    expect(parseDecimal("1,500", "en")).toEqual({ reason: "ambiguous", readings: ["1500", "1.5"] });
    expect(parseDecimal("1.500", "de")).toEqual({ reason: "ambiguous", readings: ["1500", "1,5"] });
    expect(parseDecimal("1,000", "en")).toEqual({ reason: "ambiguous", readings: ["1000", "1"] });
  });

  it("reads another separator as grouping if the number cannot have three decimals", () => {
    expect(parseDecimal("1,000", "en", 2)).toEqual({ integer: "1000", fraction: "" });
    expect(parseDecimal("1.000", "de", 0)).toEqual({ integer: "1000", fraction: "" });
  });
});

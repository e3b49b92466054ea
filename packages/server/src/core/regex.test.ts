import { MAX_PATTERN_SIZE, patternSize } from "@purse/protocol";
import { RE2JS } from "re2js";
import { describe, expect, it, vi } from "vitest";
import { compileRegex, validateRegex } from "./regex.ts";

describe("the size of a regular expression", () => {
  it.each([
    "abc",
    "^start",
    "a{1000}",
    "(a{10}){10}",
    "(?:(a|b){5,50}c{3,}){2}",
    "[a-z]{500}[^]a]{20}[[:alpha:]]+",
    "\\p{L}{100}\\d{5}\\x{41}{9}",
    "\\Qa{1000}\\E",
    "(?i)(x[ab]{300}|[ab]{300}y|(a|b)*a(a|b){300}z)$",
    "((a{1,10}){1,10}){1,10}",
    "(x*)*(?P<name>y?)+",
    "{a}{2}",
  ])("is estimated at no less than RE2's program for %s", (source) => {
    const made = RE2JS.compile(source).programSize();
    expect(patternSize(source)).toBeGreaterThanOrEqual(made - 10);
    expect(patternSize(source)).toBeLessThanOrEqual(made * 4 + 20);
  });

  it.each([
    "x{1000}".repeat(142),
    "(((a{10}){10}){10})".repeat(50),
    "a{0,1000}".repeat(110),
    "(?:(?:\\p{L}\\p{M}){500}){20}",
  ])("is limited: %s, which RE2 would compile slowly, is rejected with 102", (source) => {
    expect(() => compileRegex(source, "")).toThrow(/\$regex/);
  });

  it.each(["(".repeat(1_000), "[".repeat(1_000), "{".repeat(1_000), "\\", "a{", ")))", "[[:"])(
    "is estimated without an exception for the invalid %s",
    (source) => {
      expect(patternSize(source)).toBeLessThan(MAX_PATTERN_SIZE);
      expect(() => compileRegex(source, "")).not.toThrow(RangeError);
    },
  );
});

describe("validateRegex()", () => {
  const codeOf = (check: () => unknown): unknown => {
    try {
      check();
      return undefined;
    } catch (error) {
      return Object(error).code;
    }
  };

  it.each([
    ["a(b|c)+", "im"],
    ["\\Qa{1000}\\E", ""],
    ["a b # comment", "x"],
    ["x{1000}".repeat(142), ""],
    ["(", ""],
    ["(?=a)", ""],
    ["(a)\\1", ""],
    ["[b-a]", "i"],
    ["a{1001}", ""],
  ])("accepts and rejects what compileRegex() does: %j with the flags %j", (source, flags) => {
    expect(codeOf(() => validateRegex(source, flags))).toBe(codeOf(() => compileRegex(source, flags)));
  });

  it("compiles nothing", () => {
    const compile = vi.spyOn(RE2JS, "compile");
    validateRegex("(a|b){1,400} of its own", "");
    expect(compile).not.toHaveBeenCalled();
    compile.mockRestore();
  });
});

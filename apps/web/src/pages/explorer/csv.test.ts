import { expect, it } from "vitest";
import { csvOf } from "./csv.ts";

it("csvOf() quotes commas, quotes and line breaks", () => {
  expect(csvOf(["a", "b"], [['say "x", y', "1\n2"]])).toBe('a,b\r\n"say ""x"", y","1\n2"\r\n');
});

it("csvOf() escapes formulas, and keeps numbers", () => {
  expect(csvOf(["a", "b", "c"], [["=1+1", "-5", "@x"]])).toBe("a,b,c\r\n'=1+1,-5,'@x\r\n");
});

it.each([" =1+1", "\n=1+1", "＝1+1", "\u200b=1+1", "\t=1+1"])("csvOf() escapes the formula in %j", (text) => {
  expect(csvOf(["a"], [[text]])).toMatch(/^a\r\n"?'/);
});

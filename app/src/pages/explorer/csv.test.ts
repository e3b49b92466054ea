import { expect, it } from "vitest";
import { csvOf } from "./csv.ts";

it("quotes what has commas, quotes and lines", () => {
  expect(csvOf(["a", "b"], [['say "x", y', "1\n2"]])).toBe('a,b\r\n"say ""x"", y","1\n2"\r\n');
});

it("leaves no formula to a spreadsheet, and numbers as they are", () => {
  expect(csvOf(["a", "b", "c"], [["=1+1", "-5", "@x"]])).toBe("a,b,c\r\n'=1+1,-5,'@x\r\n");
});

import { describe, expect, it } from "vitest";
import { escapeFormula, isFormula, quoteCell, unescapeFormula } from "./spreadsheet.ts";

const FORMULAS = [
  "=1+1",
  "+1",
  "-1",
  "@SUM(A1)",
  " =1+1",
  "\n=1+1",
  "\r\n=1+1",
  "\t=1+1",
  "\t",
  "\rtext",
  "\u00a0=1",
  "\u2003=1",
  "\u3000=1",
  "\u200b=1",
  "\ufeff=1",
  "\u202e=1",
  "\u0000=1",
  " \n \u200b =1",
  "＝1+1",
  "＋1",
  "－1",
  "＠SUM",
  "﹦1",
  "﹢1",
  "﹣1",
  "﹫x",
];
const PLAIN = ["", "plain", "1+1", "a=b", "me@example.org", "'tis", "''", "(=1)", '"=1"', "ünï", "100 %"];

describe("escapeFormula()", () => {
  it.each(FORMULAS)("prefixes %j with an apostrophe", (text) => {
    expect([isFormula(text), escapeFormula(text)]).toEqual([true, `'${text}`]);
    expect(isFormula(escapeFormula(text))).toBe(false);
  });

  it.each(PLAIN)("keeps %j unchanged", (text) => {
    expect([isFormula(text), escapeFormula(text)]).toEqual([false, text]);
  });
});

describe("unescapeFormula()", () => {
  it.each([...FORMULAS, ...PLAIN, "'=1", "''=1", "'", "'plain"])("restores %j", (text) => {
    expect(unescapeFormula(escapeFormula(text))).toBe(text);
  });

  it("keeps text that was never escaped", () => {
    expect(unescapeFormula("=1")).toBe("=1");
    expect(unescapeFormula("'tis")).toBe("'tis");
  });
});

describe("quoteCell()", () => {
  it.each(["a,b", "a;b", "a\tb", "a|b", 'a"b', "a\nb", " a", "a "])("quotes %j", (text) => {
    expect(quoteCell(text)).toBe(`"${text.replaceAll('"', '""')}"`);
  });

  it("does not quote plain text", () => {
    expect(quoteCell("plain text")).toBe("plain text");
  });
});

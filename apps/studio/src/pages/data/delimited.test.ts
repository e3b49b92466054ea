import { describe, expect, it } from "vitest";
import { formatDelimited, parseDelimited } from "./delimited.ts";

describe("parseDelimited()", () => {
  it.each([
    [
      "a\tb\r\nc\td\r\n",
      [
        ["a", "b"],
        ["c", "d"],
      ],
    ],
    [
      "a\t\n\tb",
      [
        ["a", ""],
        ["", "b"],
      ],
    ],
    ['"two\nlines"\t"said ""hi"""', [["two\nlines", 'said "hi"']]],
    ["a\t", [["a", ""]]],
    ["a\n\nb", [["a"], [""], ["b"]]],
    ["a\r\nb\nc", [["a"], ["b"], ["c"]]],
    ['"never closed\tb', [["never closed\tb"]]],
    ["", []],
  ])("parses %j", (text, table) => {
    expect(parseDelimited(text, "\t")).toEqual(table);
  });

  it("parses what formatDelimited() returns, with both delimiters", () => {
    const rows = [
      ["a", 'b"c', "d,e"],
      ["f\tg", "h\r\ni", ""],
    ];
    for (const delimiter of [",", "\t"] as const) {
      expect(parseDelimited(formatDelimited(rows, delimiter), delimiter)).toEqual(rows);
    }
  });
});

import type { FieldType, JsonValue } from "@purse/protocol";
import { describe, expect, it } from "vitest";
import { copyCell, parseCell, parseCsv, toCell } from "./csv.ts";

describe("CSV", () => {
  it.each<[string, string[][]]>([
    [
      "a,b\r\n1,2\r\n",
      [
        ["a", "b"],
        ["1", "2"],
      ],
    ],
    [
      "\uFEFFa,b\n1,\n",
      [
        ["a", "b"],
        ["1", ""],
      ],
    ],
    ['"a ""b""","c\r\nd"\r', [['a "b"', "c\r\nd"]]],
    ["\n\na\n\n", [["a"]]],
    ["a\r\nb\nc\rd", [["a"], ["b"], ["c"], ["d"]]],
    ["", []],
  ])("is parsed from %j", (text, rows) => {
    expect(parseCsv(text)).toEqual(rows);
  });

  it("with an unclosed quote is rejected", () => {
    expect(() => parseCsv('a,"b')).toThrow("not closed");
  });

  const types: FieldType[] = [
    { type: "String" },
    { type: "Number" },
    { type: "Boolean" },
    { type: "Date" },
    { type: "Pointer", targetClass: "Game" },
    { type: "Array" },
    { type: "GeoPoint" },
  ];
  it.each<JsonValue>([
    "plain",
    "=1+1",
    "@SUM",
    'with "quotes", commas\nand lines',
    -5,
    true,
    { __type: "Date", iso: "2026-01-02T03:04:05.006Z" },
    { __type: "Pointer", className: "Game", objectId: "abc" },
    [1, { a: "b" }],
    { __type: "GeoPoint", latitude: 1, longitude: 2 },
  ])("keeps the value %j in a round trip", (value) => {
    const [[cell = ""] = []] = parseCsv(toCell(value));
    const read = types.map((type) => {
      try {
        return parseCell(cell, type);
      } catch {
        return undefined;
      }
    });
    expect(read).toContainEqual(value);
  });

  it("contains no formulas for spreadsheets", () => {
    for (const text of ["=1", "+1", "-1", "@x", "\t=1", " =1", "\n=1", "＝1", "\u200b=1"]) {
      expect(toCell(text)).toMatch(/^"?'/);
    }
  });

  it.each([" =1+1", "\n=1+1", "＝1+1", "'=1+1", "''=1", "'tis"])(
    "keeps the string %j in a round trip",
    (text) => {
      const [[cell = ""] = []] = parseCsv(toCell(text));
      expect(parseCell(cell, { type: "String" })).toBe(text);
    },
  );

  it("copies the cells of a file unchanged, except formulas", () => {
    expect(["plain", "'=1", "=1", "a,b"].map(copyCell)).toEqual(["plain", "'=1", "'=1", '"a,b"']);
  });
});

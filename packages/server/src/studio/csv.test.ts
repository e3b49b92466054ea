import { type FieldType, type FieldTypeName, type JsonValue, parseDelimited } from "@purse/protocol";
import { describe, expect, it } from "vitest";
import { copyRow, parseCell, rowToObject, toCell } from "./csv.ts";

const cell = (text: string, isQuoted = false) => ({ text, isQuoted });
const cellsOf = (text: string) => parseDelimited(text, ",").rows[0]?.cells ?? [];
const date = (iso: string) => ({ __type: "Date", iso });

describe("a CSV cell", () => {
  it.each<[JsonValue | undefined, FieldType]>([
    ["plain", { type: "String" }],
    ["=1+1", { type: "String" }],
    ["@SUM", { type: "String" }],
    ["", { type: "String" }],
    [" blanks ", { type: "String" }],
    ["null", { type: "String" }],
    ["\\N", { type: "String" }],
    ["007", { type: "String" }],
    ["2024-02-30", { type: "String" }],
    ['with "quotes", commas\nand lines', { type: "String" }],
    [null, { type: "String" }],
    [undefined, { type: "String" }],
    [-5, { type: "Number" }],
    [0.1, { type: "Number" }],
    [1e-7, { type: "Number" }],
    [1.7976931348623157e308, { type: "Number" }],
    [2 ** 53, { type: "Number" }],
    [18227125567148150, { type: "Number" }],
    [-1e25, { type: "Number" }],
    [null, { type: "Number" }],
    [undefined, { type: "Number" }],
    [true, { type: "Boolean" }],
    [false, { type: "Boolean" }],
    [date("2026-01-02T03:04:05.006Z"), { type: "Date" }],
    [null, { type: "Date" }],
    [
      { __type: "Pointer", className: "Game", objectId: "abc" },
      { type: "Pointer", targetClass: "Game" },
    ],
    [
      { __type: "Pointer", className: "Game", objectId: "a" },
      { type: "Pointer", targetClass: "*" },
    ],
    [[1, { a: "b" }, null, ""], { type: "Array" }],
    [[], { type: "Array" }],
    [{}, { type: "Object" }],
    [{ __type: "GeoPoint", latitude: 1, longitude: 2 }, { type: "GeoPoint" }],
  ])("keeps %j in a round trip", (value, type) => {
    // A second column, as files with one column have empty lines for missing values.
    const [first = cell("missing"), second] = cellsOf(`${toCell(value, type)},x\r\n`);
    expect(second).toEqual(cell("x"));
    expect(parseCell(first, type)).toEqual(value);
  });

  it.each<[FieldTypeName, string, JsonValue | undefined]>([
    ["Number", " 5 ", 5],
    ["Number", "+1.50", 1.5],
    ["Number", ".5", 0.5],
    ["Number", "1e3", 1000],
    ["Number", "007", 7],
    ["Number", "12.30000000000000000000", 12.3],
    ["Number", "100000000000000000000", 1e20],
    ["Number", "  ", undefined],
    ["Boolean", "Yes", true],
    ["Boolean", "0", false],
    ["Date", "2024-02-29", date("2024-02-29T00:00:00.000Z")],
    ["Date", "2024-02-29 10:00", date("2024-02-29T10:00:00.000Z")],
    ["Date", "2024-02-29T10:00+02:00", date("2024-02-29T08:00:00.000Z")],
    ["Date", " ", undefined],
    ["Array", " ", undefined],
    ["String", " ", " "],
  ])("of a %s field with %j is %j", (type, text, value) => {
    expect(parseCell(cell(text), { type })).toEqual(value);
  });

  it.each<[FieldTypeName, string, RegExp]>([
    ["Number", "x", /not a number/],
    ["Number", "0x10", /not a number/],
    ["Number", "1_000", /not a number/],
    ["Number", "1 000", /not a number/],
    ["Number", "Infinity", /not a number/],
    ["Number", "NaN", /not a number/],
    ["Number", "1e999", /not a number/],
    ["Number", ".", /not a number/],
    ["Number", "1,5", /the decimal separator is a point/],
    ["Number", "1,234.5", /the decimal separator is a point/],
    ["Number", "9007199254740993", /more digits than a number keeps/],
    ["Number", "0.1234567890123456789", /more digits than a number keeps/],
    ["Boolean", "wahr", /neither true nor false/],
    ["Date", "2024-02-30", /does not exist.*2024-03-31/],
    ["Date", "2024-02-29T25:00", /does not exist/],
    ["Date", "02/03/2024", /ambiguous/],
    ["Date", "02.03.24", /ambiguous/],
    ["Date", "2-3-2024", /ambiguous/],
    ["Date", "2024-1-5", /not a date/],
    ["Date", "12", /not a date/],
    ["Date", "Feb 29, 2024", /not a date/],
    ["Array", "[1", /not valid JSON/],
    ["Pointer", "abc", /of which class/],
  ])("of a %s field is refused with %j", (type, text, reason) => {
    expect(() => parseCell(cell(text), { type })).toThrow(reason);
  });

  it("has the decimal separator of its file", () => {
    expect(["1,5", "-1,25e2", "3"].map((text) => parseCell(cell(text), { type: "Number" }, ","))).toEqual([
      ...[1.5, -125, 3],
    ]);
    // 1.500 would be a thousand times as much where points group digits.
    for (const text of ["1.500", "1.500,5"]) {
      expect(() => parseCell(cell(text), { type: "Number" }, ",")).toThrow(
        "the decimal separator is a comma",
      );
    }
  });

  it("contains no formulas for spreadsheets", () => {
    for (const text of ["=1", "+1", "-1", "@x", "\t=1", " =1", "\n=1", "＝1", "\u200b=1"]) {
      expect(toCell(text)).toMatch(/^"?'/);
    }
  });

  it.each([" =1+1", "\n=1+1", "＝1+1", "'=1+1", "''=1", "'tis"])(
    "keeps the string %j in a round trip",
    (text) => {
      expect(parseCell(cellsOf(toCell(text))[0] ?? cell(""), { type: "String" })).toBe(text);
    },
  );
});

it("copyRow() copies the cells of a file unchanged, except formulas", () => {
  expect(copyRow([...cellsOf('plain,\'=1,=1,"a,b","",,\\N'), cell("\\N", true)])).toBe(
    'plain,\'=1,\'=1,"a,b","",,\\N,"\\N"',
  );
});

it("rowToObject() names the column of a cell that is refused", () => {
  const convert = (text: string) =>
    rowToObject(["name", "n"], cellsOf(text), { n: "count" }, () => ({ type: "Number" }), ".");
  expect(convert("1,2")).toEqual({ name: 1, count: 2 });
  expect(() => convert("1,x")).toThrow('n: "x" is not a number');
});

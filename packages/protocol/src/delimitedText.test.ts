import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Cell,
  DELIMITERS,
  formatCells,
  parseDelimited,
  parseTable,
  rowProblem,
} from "./delimitedText.ts";

const textsOf = (text: string, delimiter: (typeof DELIMITERS)[number] = ",") =>
  parseDelimited(text, delimiter).rows.map(({ cells }) => cells.map((cell) => cell.text));

describe("parseDelimited()", () => {
  it.each<[string, string[][]]>([
    ["", []],
    [
      "\uFEFFa,b\r\n1,2\r\n",
      [
        ["a", "b"],
        ["1", "2"],
      ],
    ],
    [
      "a,\n,b",
      [
        ["a", ""],
        ["", "b"],
      ],
    ],
    ["a\n\nb", [["a"], [""], ["b"]]],
    ["a\r\nb\nc\rd", [["a"], ["b"], ["c"], ["d"]]],
    ['"a ""b""","c\r\nd"\r', [['a "b"', "c\r\nd"]]],
    ['5" x 3",b', [['5" x 3"', "b"]]],
    ['"",""""', [["", '"']]],
  ])("splits %j into rows and cells", (text, rows) => {
    expect(textsOf(text)).toEqual(rows);
    expect(parseDelimited(text, ",").problems).toEqual([]);
  });

  it("tells quoted cells from others, and the lines of rows", () => {
    expect(parseDelimited('a,"b\nc"\n"",\n', ",").rows).toEqual([
      {
        line: 1,
        cells: [
          { text: "a", isQuoted: false },
          { text: "b\nc", isQuoted: true },
        ],
      },
      {
        line: 3,
        cells: [
          { text: "", isQuoted: true },
          { text: "", isQuoted: false },
        ],
      },
    ]);
  });

  it.each([
    ['a,b\n1,"x\n2,y\n', { line: 2, reason: "a quote is opened and never closed" }],
    ['a,b\n"x"y,1\n', { line: 2, reason: "text follows the quote at the end of a cell" }],
    ['a,b\n1, "x"\n', { line: 2, reason: "blanks stand before the quote at the beginning of a cell" }],
  ])("reports the problem of %j", (text, problem) => {
    expect(parseDelimited(text, ",").problems).toEqual([problem]);
  });

  it("reads what formatCells() writes, with any delimiter", () => {
    const texts = fc.oneof(
      fc.string({ unit: fc.constantFrom(",", ";", "\t", "|", '"', "\r", "\n", " ", "a", "\\", "N") }),
      fc.constantFrom("", "\\N", '"', "=1"),
    );
    const cells = texts.chain((text) =>
      fc
        .boolean()
        .map((isQuoted): Cell => ({ text, isQuoted: isQuoted || /[",;\t|\r\n]|^\s|\s$/.test(text) })),
    );
    const rows = fc.array(fc.array(cells, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 4 });
    const property = fc.property(rows, fc.constantFrom(...DELIMITERS), (table, delimiter) => {
      const text = table.map((row) => `${formatCells(row, delimiter)}\r\n`).join("");
      const parsed = parseDelimited(text, delimiter);
      expect(parsed.rows.map((row) => row.cells)).toEqual(table);
      expect(parsed.problems).toEqual([]);
    });
    fc.assert(property, { seed: 1, numRuns: 500 });
  });
});

describe("parseTable()", () => {
  it.each([
    ["name,price\na,1\n", ","],
    ["name;price;sold;date\nTea;1,5;3;2024-01-31\nCake;2,25;1;2024-02-01\n", ";"],
    ["name\tprice\na, b; c\t1\n", "\t"],
    ["name|price\na,b|1\n", "|"],
    ['"a;b";c,d\n1;2\n', ";"],
    ["name\na;b\n", ","],
    ["a,b\n\n1,2\n", ","],
    ["sep=;\na,b;c\n1,2;3\n", ";"],
  ])("detects the delimiter of %j", (text, delimiter) => {
    expect(parseTable(text)).toMatchObject({ delimiter, problems: [] });
  });

  it("takes the given delimiter", () => {
    expect(parseTable("a;b\n1;2\n", ",").columns).toEqual(["a;b"]);
  });

  it("removes blanks around the names of columns, empty rows and columns without a name and values", () => {
    const { columns, rows } = parseTable(' name , num ,"x ",\n\na,1,2,\n,,,\n  \nb,2,3,\n');
    expect(columns).toEqual(["name", "num", "x"]);
    expect(rows.map(({ line }) => line)).toEqual([3, 6]);
  });

  it.each([
    ["num, num \n1,2\n", { line: 1, reason: "two columns are named num" }],
    ["\nnum,,x\n1,2,3\n", { line: 2, reason: "column 2 has no name" }],
    ["num,\n1,2\n", { line: 1, reason: "column 2 has no name" }],
    ["a,b\n1,\u0000\n", { line: 2, reason: "a control character shows that the file is not a text" }],
    ['a,b\nunclosed,"3,true\nCake,5\nX,1\n', { line: 2, reason: "a quote is opened and never closed" }],
  ])("reports the problem of %j", (text, problem) => {
    expect(parseTable(text).problems).toContainEqual(problem);
  });
});

it.each([
  ["1,2", undefined],
  ["1,", undefined],
  ["1,2,,", undefined],
  ["1", "the row has 1 cells, and the header 2 columns"],
  ["1,2,3", "the row has 3 cells, and the header 2 columns"],
  ['1,2,""', "the row has 3 cells, and the header 2 columns"],
])("rowProblem() of %j in a table of two columns is %j", (text, problem) => {
  expect(rowProblem(parseDelimited(text, ",").rows[0]?.cells ?? [], ["a", "b"])).toBe(problem);
});

import type { JsonObject } from "@purse/protocol";
import { describe, expect, it } from "vitest";
import { parseCell, pasteCells, serializeCells, spreadsheetText } from "./clipboard.ts";
import { type Column, columnsOf } from "./columns.ts";

const columns = columnsOf(
  {
    className: "Game",
    fields: {
      objectId: { type: "String" },
      name: { type: "String" },
      score: { type: "Number" },
      isOver: { type: "Boolean" },
      at: { type: "Date" },
      owner: { type: "Pointer", targetClass: "_User" },
      position: { type: "GeoPoint" },
      tags: { type: "Array" },
    },
  },
  { order: [], widths: {}, hidden: [], pinned: [] },
);
const column = (name: string): Column => {
  const found = columns.find((each) => each.name === name);
  if (!found) throw new Error(name);
  return found;
};
const row: JsonObject = {
  objectId: "g1",
  updatedAt: "2026-01-01T00:00:00.000Z",
  name: '=1, "one"',
  score: -2.5,
  isOver: false,
  at: { __type: "Date", iso: "2026-01-02T03:04:05.678Z" },
  owner: { __type: "Pointer", className: "_User", objectId: "u1" },
  position: { __type: "GeoPoint", latitude: 47.5, longitude: -8.25 },
  tags: ["a", { b: 1 }],
};

describe("copied cells", () => {
  it("have the same values after pasting, whatever their type", () => {
    for (const each of columns) {
      expect(parseCell(spreadsheetText(row[each.name]), each), each.name).toEqual({ value: row[each.name] });
    }
    expect(parseCell(spreadsheetText(undefined), column("name"))).toEqual({ value: null });
  });

  it.each(["=1", " =1", "\n=1", "＝1", "\u200b@x", "'=1", "'tis"])(
    "contain no spreadsheet formula for %j, and restore the text when pasted",
    (text) => {
      const cell = spreadsheetText(text);
      expect(cell).toMatch(/^'/);
      expect(parseCell(cell, column("name"))).toEqual({ value: text });
    },
  );

  it("are serialized as TSV, CSV with a header, or JSON", () => {
    const some = [column("name"), column("score")];
    expect(serializeCells([row, {}], some, "tsv")).toBe('"\'=1, ""one"""\t-2.5\r\n\t');
    expect(serializeCells([row], some, "csv")).toBe('name,score\r\n"\'=1, ""one""",-2.5');
    expect(JSON.parse(serializeCells([row, {}], some, "json"))).toEqual([
      { name: row.name, score: -2.5 },
      {},
    ]);
  });
});

describe("pasted cells", () => {
  const rows = [row, { ...row, objectId: "g2" }, { ...row, objectId: "g3" }];
  const at = (name: string) => columns.findIndex((each) => each.name === name);
  const cell = (top: number, name: string) => ({ top, bottom: top, left: at(name), right: at(name) });

  it("are placed from the upper left cell, with the problems of invalid values", () => {
    const { cells } = pasteCells("Ada\t12\r\nGrace\tmany\r\n", cell(0, "name"), rows, columns, "editor");
    expect(cells.map(({ row, column, parsed }) => [row.objectId, column.name, parsed])).toEqual([
      ["g1", "name", { value: "Ada" }],
      ["g1", "score", { value: 12 }],
      ["g2", "name", { value: "Grace" }],
      ["g2", "score", { problem: "Enter a number." }],
    ]);
  });

  it("fill a range that is a multiple of their size", () => {
    const range = { top: 0, bottom: 2, left: at("score"), right: at("score") };
    expect(pasteCells("7", range, rows, columns, "editor").cells).toHaveLength(3);
    expect(pasteCells("7\n8", range, rows, columns, "editor").cells).toHaveLength(2);
  });

  it("are skipped in read-only fields and outside the grid", () => {
    expect(pasteCells("x\ty", cell(2, "objectId"), rows, columns, "editor")).toMatchObject({
      readOnlyCount: 1,
    });
    expect(pasteCells("1\n2\n3", cell(1, "score"), rows, columns, "editor")).toMatchObject({
      outOfRangeCount: 1,
      cells: { length: 2 },
    });
    expect(pasteCells("1", cell(0, "score"), rows, columns, "readOnly")).toMatchObject({
      cells: [],
      readOnlyCount: 1,
    });
  });

  it.each([
    ["isOver", "YES", { value: true }],
    ["isOver", "0", { value: false }],
    ["isOver", "perhaps", { problem: "Enter true or false." }],
    [
      "owner",
      '{"__type":"Pointer","className":"Other","objectId":"x"}',
      { problem: "Expected a pointer to _User." },
    ],
    ["tags", "{}", { problem: "Enter a JSON array, for example [1, 2]." }],
  ])("of the field %s parse %s by its type", (name, text, parsed) => {
    expect(parseCell(text, column(name))).toEqual(parsed);
  });
});

import {
  escapeFormula,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownValue,
  unescapeFormula,
} from "@purse/protocol";
import type { StudioRole } from "@purse/server/studio-api";
import { type ParsedValue, parseValue } from "@purse/ui";
import { isEditable } from "./cellEditMode.ts";
import type { Column } from "./columns.ts";
import { formatDelimited, parseDelimited } from "./delimited.ts";
import type { Range } from "./selection.ts";

export const COPY_FORMATS = ["tsv", "csv", "json"] as const;
/** `tsv` is for spreadsheets. */
export type CopyFormat = (typeof COPY_FORMATS)[number];

type ValueGetter = (row: JsonObject, field: string) => JsonValue | undefined;

/** Serializes cells: TSV without header, CSV with header, JSON as an array of objects. */
export function serializeCells(
  rows: readonly JsonObject[],
  columns: readonly Column[],
  format: CopyFormat,
  getValue: ValueGetter = ownValue,
): string {
  if (format === "json") {
    const objects = rows.map((row) =>
      Object.fromEntries(
        columns.flatMap(({ name }) => {
          const value = getValue(row, name);
          return value === undefined ? [] : [[name, value]];
        }),
      ),
    );
    return JSON.stringify(objects, null, 2);
  }
  const cells = rows.map((row) => columns.map(({ name }) => spreadsheetText(getValue(row, name))));
  return format === "csv"
    ? formatDelimited([columns.map(({ name }) => name), ...cells], ",")
    : formatDelimited(cells, "\t");
}

/** A value as spreadsheet text; parseCell() reverses it. */
export function spreadsheetText(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return escapeFormula(value);
  if (typeof value !== "object") return String(value);
  if (isJsonObject(value)) {
    if (value.__type === "Date" && typeof value.iso === "string") return value.iso;
    if (value.__type === "Pointer") return escapeFormula(String(value.objectId));
    if (value.__type === "GeoPoint") return `${value.latitude}, ${value.longitude}`;
  }
  return JSON.stringify(value);
}

/** Parses spreadsheet text for a column; an empty cell removes the value. */
export function parseCell(text: string, column: Column): ParsedValue {
  if (text === "") return { value: null };
  const plain = text.trim();
  if (column.type === "String") return { value: unescapeFormula(text) };
  if (column.type === "Boolean") {
    if (/^(true|yes|1)$/i.test(plain)) return { value: true };
    if (/^(false|no|0)$/i.test(plain)) return { value: false };
  }
  if (column.type === "Pointer" && plain.startsWith("{")) return parsePointer(plain, column);
  return parseValue(column.type === "Pointer" ? unescapeFormula(plain) : plain, column);
}

function parsePointer(text: string, column: Column): ParsedValue {
  const { value, problem } = {
    value: undefined,
    problem: undefined,
    ...parseValue(text, { type: "Object" }),
  };
  if (problem !== undefined) return { problem };
  const isExpectedClass =
    isJsonObject(value) && value.__type === "Pointer" && value.className === column.targetClass;
  return isExpectedClass ? { value } : { problem: `Expected a pointer to ${column.targetClass ?? "a row"}.` };
}

/** A pasted cell with its parsed value or the problem. */
export interface PastedCell {
  row: JsonObject;
  column: Column;
  text: string;
  parsed: ParsedValue;
}

export interface PasteResult {
  cells: PastedCell[];
  /** Pasted cells of read-only columns. */
  readOnlyCount: number;
  /** Pasted cells outside of the grid. */
  outOfRangeCount: number;
}

/**
 * Pastes a table into a range, starting at its upper left. A single cell fills the range; a table is repeated as often as it
 * fits, as spreadsheets do.
 */
export function pasteCells(
  text: string,
  range: Range,
  rows: readonly JsonObject[],
  columns: readonly Column[],
  role: StudioRole,
): PasteResult {
  const table = parseDelimited(text, "\t");
  const result: PasteResult = { cells: [], readOnlyCount: 0, outOfRangeCount: 0 };
  const width = Math.max(0, ...table.map((line) => line.length));
  if (width === 0) return result;
  const repetitions = (size: number, step: number) => (size % step === 0 ? size / step : 1);
  const rowCount = table.length * repetitions(range.bottom - range.top + 1, table.length);
  const columnCount = width * repetitions(range.right - range.left + 1, width);
  for (let rowOffset = 0; rowOffset < rowCount; rowOffset += 1) {
    for (let columnOffset = 0; columnOffset < columnCount; columnOffset += 1) {
      const cell = table[rowOffset % table.length]?.[columnOffset % width];
      if (cell === undefined) continue;
      const row = rows[range.top + rowOffset];
      const column = columns[range.left + columnOffset];
      if (!row || !column) result.outOfRangeCount += 1;
      else if (!isEditable(column, role)) result.readOnlyCount += 1;
      else result.cells.push({ row, column, text: cell, parsed: parseCell(cell, column) });
    }
  }
  return result;
}

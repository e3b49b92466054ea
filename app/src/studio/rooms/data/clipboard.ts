import {
  escapeFormula,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type StudioRole,
  unescapeFormula,
} from "@purse/protocol";
import type { Column } from "./columns.ts";
import { tableIn, written } from "./delimited.ts";
import { isEditable } from "./drafts.ts";
import type { Range } from "./selection.ts";
import { type Read, readTyped } from "./typed.ts";

export const COPY_FORMATS = ["tsv", "csv", "json"] as const;
/** `tsv` is what spreadsheets take. */
export type CopyFormat = (typeof COPY_FORMATS)[number];

type ValueIn = (row: JsonObject, field: string) => JsonValue | undefined;

/** Cells as text: TSV as they stand, CSV with the names of the columns, JSON as a list of objects. */
export function copied(
  rows: readonly JsonObject[],
  columns: readonly Column[],
  format: CopyFormat,
  valueIn: ValueIn = (row, field) => row[field],
): string {
  if (format === "json") {
    const objects = rows.map((row) =>
      Object.fromEntries(
        columns.flatMap(({ name }) => {
          const value = valueIn(row, name);
          return value === undefined ? [] : [[name, value]];
        }),
      ),
    );
    return JSON.stringify(objects, null, 2);
  }
  const cells = rows.map((row) => columns.map(({ name }) => cellText(valueIn(row, name))));
  return format === "csv" ? written([columns.map(({ name }) => name), ...cells], ",") : written(cells, "\t");
}

/** A value as the cell of a spreadsheet; pasting it gives the value again. */
export function cellText(value: JsonValue | undefined): string {
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

/** What a cell of a spreadsheet means for a column; an empty one takes the value away. */
export function readCell(text: string, column: Column): Read {
  if (text === "") return { value: null };
  const plain = text.trim();
  if (column.type === "String") return { value: unescapeFormula(text) };
  if (column.type === "Boolean") {
    if (/^(true|yes|1)$/i.test(plain)) return { value: true };
    if (/^(false|no|0)$/i.test(plain)) return { value: false };
  }
  if (column.type === "Pointer" && plain.startsWith("{")) return pointer(plain, column);
  return readTyped(column.type === "Pointer" ? unescapeFormula(plain) : plain, column);
}

function pointer(text: string, column: Column): Read {
  const { value, problem } = { value: undefined, problem: undefined, ...readTyped(text, { type: "Object" }) };
  if (problem !== undefined) return { problem };
  const isOurs = isJsonObject(value) && value.__type === "Pointer" && value.className === column.targetClass;
  return isOurs ? { value } : { problem: `It must point to ${column.targetClass ?? "a row"}.` };
}

/** One cell that something is pasted into: what it shall hold, or why it cannot. */
export interface PastedCell {
  row: JsonObject;
  column: Column;
  text: string;
  read: Read;
}

export interface Pasted {
  cells: PastedCell[];
  /** Cells that nobody changes here, as ids and times. */
  fixed: number;
  /** Lines and columns of the clipboard that reach beyond the grid. */
  beyond: number;
}

/**
 * A table of the clipboard laid over the grid from the upper left of a range. One cell fills all of the range; a
 * table is laid as often as it fits, as spreadsheets do.
 */
export function pasted(
  text: string,
  range: Range,
  rows: readonly JsonObject[],
  columns: readonly Column[],
  role: StudioRole,
): Pasted {
  const table = tableIn(text, "\t");
  const result: Pasted = { cells: [], fixed: 0, beyond: 0 };
  const width = Math.max(0, ...table.map((line) => line.length));
  if (width === 0) return result;
  const times = (there: number, given: number) => (there % given === 0 ? there / given : 1);
  const height = table.length * times(range.bottom - range.top + 1, table.length);
  const breadth = width * times(range.right - range.left + 1, width);
  for (let down = 0; down < height; down += 1) {
    for (let across = 0; across < breadth; across += 1) {
      const cell = table[down % table.length]?.[across % width];
      if (cell === undefined) continue;
      const row = rows[range.top + down];
      const column = columns[range.left + across];
      if (!row || !column) result.beyond += 1;
      else if (!isEditable(column, role)) result.fixed += 1;
      else result.cells.push({ row, column, text: cell, read: readCell(cell, column) });
    }
  }
  return result;
}

import { type JsonValue, ownValue } from "@purse/protocol";
import type { StudioImportResult } from "@purse/server/studio-api";
import type { StudioApi } from "../../api.ts";
import type { Progress } from "./bulkChanges.ts";
import { formatDelimited, parseDelimited } from "./delimited.ts";

/** A parsed import file. */
export interface ImportFile {
  name: string;
  format: "csv" | "json";
  /** CSV columns or JSON keys, in order of appearance. */
  columns: string[];
  /** Sample value of each column. */
  samples: Readonly<Record<string, string>>;
  /** The number of the first line of each row; undefined if the rows are not in lines. */
  lines: readonly number[] | undefined;
  /** CSV lines or JSON values. */
  rows: readonly (readonly string[])[] | readonly JsonValue[];
}

/** Target field by column; null skips the column. */
export type Mapping = Readonly<Record<string, string | null>>;

/** Rows per request. */
const BATCH_SIZE = 250;

/** Parses CSV, TSV, JSON or JSON Lines. Throws Error with a user-readable message. */
export function parseImportFile(name: string, text: string): ImportFile {
  const trimmed = text.replace(/^\uFEFF/, "").trimEnd();
  if (trimmed.trim() === "") throw new Error("The file is empty.");
  const isJson = /^\s*[[{]/.test(trimmed);
  return isJson ? parseJson(name, trimmed) : parseCsv(name, trimmed);
}

function parseCsv(name: string, text: string): ImportFile {
  // Spreadsheets copy tab-separated text.
  const [first = ""] = text.split(/\r?\n/, 1);
  const [columns = [], ...all] = parseDelimited(text, first.includes("\t") ? "\t" : ",");
  const duplicate = columns.find((column, i) => columns.indexOf(column) !== i);
  if (duplicate !== undefined) throw new Error(`Duplicate column: ${duplicate}`);
  const samples = Object.fromEntries(
    columns.map((column, i) => [column, all.find((row) => row[i])?.[i]?.slice(0, 80) ?? ""]),
  );
  const lines: number[] = [];
  const rows: string[][] = [];
  let line = 1 + countLines(columns);
  for (const row of all) {
    if (row.some((cell) => cell !== "")) {
      lines.push(line);
      rows.push(row);
    }
    line += countLines(row);
  }
  return { name, format: "csv", columns, samples, lines, rows };
}

/** The number of lines of a row: its cells may contain line ends. */
function countLines(cells: readonly string[]): number {
  return cells.reduce((sum, cell) => sum + cell.split("\n").length - 1, 1);
}

function parseJson(name: string, text: string): ImportFile {
  const { rows, lines } = parseJsonRows(text);
  const samples: Record<string, string> = {};
  for (const row of rows) {
    if (typeof row !== "object" || row === null || Array.isArray(row)) continue;
    for (const [key, value] of Object.entries(row)) {
      if (!Object.hasOwn(samples, key)) samples[key] = JSON.stringify(value).slice(0, 80);
    }
  }
  return { name, format: "json", columns: Object.keys(samples), samples, lines, rows };
}

function parseJsonRows(text: string): { rows: JsonValue[]; lines: number[] | undefined } {
  try {
    if (text.trimStart().startsWith("[")) {
      const list: JsonValue = JSON.parse(text);
      return { rows: Array.isArray(list) ? list : [], lines: undefined };
    }
    const found = text
      .split(/\r?\n/)
      .map((content, i) => ({ content, line: i + 1 }))
      .filter(({ content }) => content.trim() !== "");
    const rows = found.map(({ content }): JsonValue => JSON.parse(content));
    return { rows, lines: found.map(({ line }) => line) };
  } catch (error) {
    throw new Error(`Invalid JSON: ${error instanceof Error ? error.message : ""}`);
  }
}

/** Maps columns to fields of the same name, ignoring case. */
export function suggestMapping(columns: readonly string[], fields: readonly string[]): Mapping {
  const byName = new Map(fields.map((field) => [field.toLowerCase(), field]));
  return Object.fromEntries(
    columns.map((column) => [column, byName.get(column.trim().toLowerCase()) ?? null]),
  );
}

/** The mapping with or without the column of objectIds; all other columns keep their fields. */
export function withObjectIds(columns: readonly string[], mapping: Mapping, keepIds: boolean): Mapping {
  const ids = suggestMapping(columns, keepIds ? ["objectId"] : []);
  const fieldOf = (column: string) =>
    mapping[column] === "objectId" ? null : (ownValue(mapping, column) ?? null);
  return Object.fromEntries(columns.map((column) => [column, ownValue(ids, column) ?? fieldOf(column)]));
}

/** Imports a file in batches; returns rejected rows as a file. A dry run writes nothing. */
export async function importRows(
  studio: StudioApi,
  className: string,
  { format, columns, rows }: ImportFile,
  { mapping, keepIds, dryRun }: { mapping: Mapping; keepIds: boolean; dryRun: boolean },
  progress: Progress,
  signal?: AbortSignal,
): Promise<StudioImportResult> {
  const result: StudioImportResult = { imported: 0, failed: 0, failedRows: [], errorFile: "" };
  for (let i = 0; i < rows.length && !signal?.aborted; i += BATCH_SIZE) {
    const batch = rows.slice(i, i + BATCH_SIZE);
    const text =
      format === "csv" ? formatDelimited([columns, ...batch.map(toCells)], ",") : JSON.stringify(batch);
    const input = { className, format, text, mapping, keepIds, dryRun };
    const batchResult = await studio.post("/data/:className/import", input);
    result.imported += batchResult.imported;
    result.failed += batchResult.failed;
    result.failedRows.push(...batchResult.failedRows.map((row) => i + row));
    // Each batch has its own header.
    const isFirst = result.errorFile === "";
    result.errorFile +=
      isFirst || format === "json"
        ? batchResult.errorFile
        : batchResult.errorFile.slice(batchResult.errorFile.indexOf("\n") + 1);
    progress(Math.min(rows.length, i + BATCH_SIZE), rows.length);
  }
  return result;
}

function toCells(row: JsonValue | readonly string[]): string[] {
  return Array.isArray(row) ? row.map(String) : [];
}

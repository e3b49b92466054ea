import {
  type Cell,
  type Delimiter,
  formatCells,
  type JsonValue,
  ownValue,
  parseTable,
  tryParseJson,
} from "@purse/protocol";
import type { StudioImportResult } from "@purse/server/studio-api";
import { jsonErrorPosition } from "@purse/ui";
import type { StudioApi } from "../../api.ts";
import type { Progress } from "./bulkChanges.ts";

/** How CSV is read; what is not given is detected. */
export interface CsvFormat {
  delimiter: Delimiter;
  decimal: "." | ",";
}

/** A parsed import file. */
export type ImportFile = CsvFile | JsonFile;

interface FileContent {
  name: string;
  /** CSV columns or JSON keys, in order of appearance. */
  columns: string[];
  /** Sample value of each column. */
  samples: Readonly<Record<string, string>>;
  /** The number of the first line of each row; undefined if the rows are not in lines. */
  lines: readonly number[] | undefined;
}

interface CsvFile extends FileContent, CsvFormat {
  format: "csv";
  rows: readonly (readonly Cell[])[];
}

interface JsonFile extends FileContent {
  format: "json";
  rows: readonly JsonValue[];
}

/** Target field by column; null skips the column. */
export type Mapping = Readonly<Record<string, string | null>>;

/** Rows per request. */
const BATCH_SIZE = 250;
/** Problems of a file that are shown. */
const MAX_PROBLEMS = 5;

/** Parses CSV with any delimiter, JSON or JSON Lines. Throws Error with a user-readable message. */
export function parseImportFile(name: string, sent: string, given: Partial<CsvFormat> = {}): ImportFile {
  const text = sent.replace(/^\uFEFF/, "");
  if (text.trim() === "") throw new Error("The file is empty.");
  const isJson = /^\s*[[{]/.test(text);
  return isJson ? parseJson(name, text) : parseCsv(name, text, given);
}

function parseCsv(name: string, text: string, given: Partial<CsvFormat>): CsvFile {
  const { delimiter, columns, rows, problems } = parseTable(text, given.delimiter);
  if (problems.length > 0) {
    const shown = problems.slice(0, MAX_PROBLEMS).map(({ line, reason }) => `Line ${line}: ${reason}.`);
    throw new Error([...shown, ...(problems.length > shown.length ? ["…"] : [])].join("\n"));
  }
  const cells = rows.map((row) => row.cells);
  const named = columns.filter((column) => column !== "");
  const samples = Object.fromEntries(
    named.map((column) => {
      const at = columns.indexOf(column);
      return [column, cells.find((row) => row[at]?.text)?.[at]?.text.slice(0, 80) ?? ""];
    }),
  );
  return {
    name,
    format: "csv",
    delimiter,
    decimal: given.decimal ?? detectDecimal(cells, delimiter),
    columns,
    samples,
    lines: rows.map(({ line }) => line),
    rows: cells,
  };
}

/**
 * A comma separates decimals if numbers have one and none has a point. Where it could also group thousands, as in `1,500`
 * or in files that commas delimit, the user decides.
 */
function detectDecimal(rows: readonly (readonly Cell[])[], delimiter: Delimiter): CsvFormat["decimal"] {
  if (delimiter === ",") return ".";
  const texts = rows.flatMap((row) => row.map(({ text }) => text.trim()));
  if (texts.some((text) => /^[+-]?\d*\.\d+$/.test(text))) return ".";
  return texts.some((text) => /^[+-]?\d*,(\d{1,2}|\d{4,})$/.test(text)) ? "," : ".";
}

function parseJson(name: string, text: string): JsonFile {
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
  if (text.trimStart().startsWith("[")) {
    const list = parseJsonAt(text, 1);
    return { rows: Array.isArray(list) ? list : [], lines: undefined };
  }
  const found = text
    .split(/\r?\n/)
    .map((content, i) => ({ content, line: i + 1 }))
    .filter(({ content }) => content.trim() !== "");
  const rows = found.map(({ content, line }) => parseJsonAt(content, line));
  return { rows, lines: found.map(({ line }) => line) };
}

/** Parses JSON that begins in a line of the file. */
function parseJsonAt(text: string, firstLine: number): JsonValue {
  const value = tryParseJson(text);
  if (value !== undefined) return value;
  const { line = 1, column = 1 } = jsonErrorPosition(text) ?? {};
  throw new Error(`Line ${firstLine + line - 1}: the JSON is not valid at column ${column}.`);
}

/** Maps columns to fields of the same name, ignoring case. */
export function suggestMapping(columns: readonly string[], fields: readonly string[]): Mapping {
  const byName = new Map(fields.map((field) => [field.toLowerCase(), field]));
  return Object.fromEntries(columns.map((column) => [column, byName.get(column.toLowerCase()) ?? null]));
}

/** The mapping with or without the column of objectIds; all other columns keep their fields. */
export function withObjectIds(columns: readonly string[], mapping: Mapping, keepIds: boolean): Mapping {
  const ids = suggestMapping(columns, keepIds ? ["objectId"] : []);
  const fieldOf = (column: string) =>
    mapping[column] === "objectId" ? null : (ownValue(mapping, column) ?? null);
  return Object.fromEntries(columns.map((column) => [column, ownValue(ids, column) ?? fieldOf(column)]));
}

export interface ImportOutcome extends StudioImportResult {
  /** Rows that were not tried, because the import was stopped or failed. */
  remaining: number;
  /** Why the import failed after some of its batches. Rows of the failed batch may have been imported. */
  error?: unknown;
}

/**
 * Imports a file in batches; returns rejected rows as a file. A dry run writes nothing. Once rows have been imported, an error
 * is part of the result, because a repeated import would import them again.
 */
export async function importRows(
  studio: StudioApi,
  className: string,
  file: ImportFile,
  { mapping, keepIds, dryRun }: { mapping: Mapping; keepIds: boolean; dryRun: boolean },
  progress: Progress,
  signal?: AbortSignal,
): Promise<ImportOutcome> {
  const { format, rows } = file;
  const result: ImportOutcome = {
    imported: 0,
    failed: 0,
    failedRows: [],
    reasons: [],
    errorFile: "",
    remaining: rows.length,
  };
  progress(0, rows.length);
  for (let i = 0; i < rows.length && !signal?.aborted; i += BATCH_SIZE) {
    const input = { className, ...batchOf(file, i), mapping, keepIds, dryRun };
    let batchResult: StudioImportResult;
    try {
      batchResult = await studio.post("/data/:className/import", input);
    } catch (error) {
      if (result.imported === 0 || dryRun) throw error;
      return { ...result, error };
    }
    result.remaining = Math.max(0, rows.length - i - BATCH_SIZE);
    result.imported += batchResult.imported;
    result.failed += batchResult.failed;
    result.failedRows.push(...batchResult.failedRows.map((row) => i + row));
    result.reasons.push(...batchResult.reasons);
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

/** The input of a request for rows from a position; CSV has one format, whatever that of the file. */
function batchOf(file: ImportFile, from: number) {
  if (file.format === "json") {
    return { format: file.format, text: JSON.stringify(file.rows.slice(from, from + BATCH_SIZE)) };
  }
  const header = file.columns.map((text) => ({ text, isQuoted: false }));
  const lines = [header, ...file.rows.slice(from, from + BATCH_SIZE)].map((row) => `${formatCells(row)}\r\n`);
  return { format: file.format, delimiter: "," as const, decimal: file.decimal, text: lines.join("") };
}

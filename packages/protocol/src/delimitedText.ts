import { quoteCell } from "./spreadsheet.ts";

/*
 * Delimited text: CSV (RFC 4180), with the delimiters of other locales, and tab-separated text as spreadsheets copy it.
 */

export const DELIMITERS = [",", ";", "\t", "|"] as const;
export type Delimiter = (typeof DELIMITERS)[number];

export interface Cell {
  text: string;
  /** Whether it stood in quotes, which tells an empty text from nothing. */
  isQuoted: boolean;
}

export interface DelimitedRow {
  /** The number of the line in which it begins, from 1. */
  line: number;
  cells: Cell[];
}

/** What is wrong with a file, and in which line. */
export interface FileProblem {
  line: number;
  reason: string;
}

/** Rows whose first one names the columns. */
export interface DelimitedTable {
  delimiter: Delimiter;
  /** Without blanks at their ends. A column without a name has no values. */
  columns: string[];
  /** Without the header and empty rows. */
  rows: DelimitedRow[];
  /** If there are any, the rows may differ from what the author of the file meant. */
  problems: FileProblem[];
}

const LINE_END = /\r\n?|\n/g;
/** Control characters other than tabs, line ends and the page feeds of old programs. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are looked for.
const CONTROL = /[\0-\x08\x0e-\x1f\x7f]/;
/** Rows that decide which delimiter a file has. */
const SAMPLE_ROWS = 50;

/**
 * Splits text into rows and cells, with any kind of line ends. What is not well-formed is read in the most likely way,
 * and reported as a problem.
 */
export function parseDelimited(
  text: string,
  delimiter: Delimiter,
  maxRows = Number.POSITIVE_INFINITY,
): { rows: DelimitedRow[]; problems: FileProblem[] } {
  const rows: DelimitedRow[] = [];
  const problems: FileProblem[] = [];
  const upToDelimiter = new RegExp(`[^${delimiter}\r\n]*`, "y");
  let line = 1;
  let at = text.startsWith("\uFEFF") ? 1 : 0;
  /** Reads to the end of a cell without quotes. */
  const readPlain = (): string => {
    upToDelimiter.lastIndex = at;
    const [plain = ""] = upToDelimiter.exec(text) ?? [];
    at += plain.length;
    return plain;
  };
  const readQuoted = (): string => {
    const opened = line;
    let end = text.indexOf('"', at + 1);
    while (end >= 0 && text[end + 1] === '"') end = text.indexOf('"', end + 2);
    if (end < 0) problems.push({ line: opened, reason: "a quote is opened and never closed" });
    const content = text.slice(at + 1, end < 0 ? undefined : end);
    line += content.match(LINE_END)?.length ?? 0;
    at = end < 0 ? text.length : end + 1;
    const rest = readPlain();
    if (rest !== "") problems.push({ line, reason: "text follows the quote at the end of a cell" });
    return content.replaceAll('""', '"') + rest;
  };
  while (at < text.length && rows.length < maxRows) {
    const row: DelimitedRow = { line, cells: [] };
    rows.push(row);
    for (let isLast = false; !isLast; ) {
      const isQuoted = text[at] === '"';
      const content = isQuoted ? readQuoted() : readPlain();
      if (!isQuoted && /^\s+"/.test(content)) {
        problems.push({ line, reason: "blanks stand before the quote at the beginning of a cell" });
      }
      row.cells.push({ text: content, isQuoted });
      isLast = text[at] !== delimiter;
      if (!isLast) at += 1;
    }
    at += text.startsWith("\r\n", at) ? 2 : 1;
    line += 1;
  }
  return { rows, problems };
}

/** Formats a row of cells; those that were quoted stay so. */
export function formatCells(cells: readonly Cell[], delimiter: Delimiter = ","): string {
  return cells
    .map(({ text, isQuoted }) => {
      const cell = quoteCell(text);
      return isQuoted && !cell.startsWith('"') ? `"${text}"` : cell;
    })
    .join(delimiter);
}

/**
 * Reads a table with a header. The delimiter is detected unless it is given: by the line `sep=;` of spreadsheets, or as
 * the one that divides the first rows into the same number of cells.
 */
export function parseTable(text: string, given?: Delimiter): DelimitedTable {
  const [, hint] = /^\uFEFF?sep=([,;\t|])(?=[\r\n])/i.exec(text) ?? [];
  const hinted = DELIMITERS.find((each) => each === hint);
  const delimiter = given ?? hinted ?? detectDelimiter(text);
  const parsed = parseDelimited(text, delimiter);
  const { problems } = parsed;
  const control = CONTROL.exec(text);
  if (control) {
    const line = 1 + (text.slice(0, control.index).match(LINE_END)?.length ?? 0);
    problems.push({ line, reason: "a control character shows that the file is not a text" });
  }
  const [header, ...rows] = parsed.rows.slice(hinted ? 1 : 0).filter(({ cells }) => !isEmpty(cells));
  const columns = header?.cells.map((cell) => cell.text.trim()) ?? [];
  while (columns.at(-1) === "" && !rows.some(({ cells }) => hasValue(cells[columns.length - 1])))
    columns.pop();
  for (const [i, column] of columns.entries()) {
    const line = header?.line ?? 1;
    if (column === "" && rows.some(({ cells }) => hasValue(cells[i]))) {
      problems.push({ line, reason: `column ${i + 1} has no name` });
    } else if (column !== "" && columns.indexOf(column) !== i) {
      problems.push({ line, reason: `two columns are named ${column.slice(0, 64)}` });
    }
  }
  return { delimiter, columns, rows, problems };
}

/** The reason why a row does not fit its table; undefined if it does. Empty cells may follow the last column. */
export function rowProblem(cells: readonly Cell[], columns: readonly string[]): string | undefined {
  const count = Math.max(cells.findLastIndex(hasValue) + 1, Math.min(cells.length, columns.length));
  return count === columns.length
    ? undefined
    : `the row has ${count} cells, and the header ${columns.length} columns`;
}

function detectDelimiter(text: string): Delimiter {
  let best: { delimiter: Delimiter; share: number; width: number } = { delimiter: ",", share: 0, width: 1 };
  for (const delimiter of DELIMITERS) {
    const rows = parseDelimited(text, delimiter, SAMPLE_ROWS).rows.filter(({ cells }) => !isEmpty(cells));
    const width = rows[0]?.cells.length ?? 1;
    if (width === 1) continue;
    const share = rows.filter(({ cells }) => cells.length === width).length / rows.length;
    const isBetter = share === best.share ? width > best.width : share > best.share;
    if (isBetter) best = { delimiter, share, width };
  }
  return best.delimiter;
}

function isEmpty(cells: readonly Cell[]): boolean {
  return !cells.some(hasValue);
}

function hasValue(cell: Cell | undefined): boolean {
  return cell !== undefined && (cell.isQuoted || cell.text.trim() !== "");
}

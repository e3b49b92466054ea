import { quoteCell } from "@purse/protocol";

/*
 * Delimited text: CSV (RFC 4180) and tab-separated text as copied by spreadsheets.
 */

export type Delimiter = "," | "\t";

export function formatDelimited(rows: readonly (readonly string[])[], delimiter: Delimiter): string {
  return rows.map((row) => row.map(quoteCell).join(delimiter)).join("\r\n");
}

/** Parses delimited text with any line endings. An unclosed quote extends to the end. */
export function parseDelimited(text: string, delimiter: Delimiter): string[][] {
  const source = text.replace(/^\uFEFF/, "");
  const rows: string[][] = [];
  let row: string[] = [];
  let offset = 0;
  while (offset < source.length) {
    const { cell, end } =
      source[offset] === '"' ? readQuoted(source, offset) : readPlain(source, offset, delimiter);
    row.push(cell);
    offset = end;
    if (source[offset] === delimiter) {
      offset += 1;
      // A trailing delimiter means an empty last cell.
      if (offset === source.length) row.push("");
      continue;
    }
    offset += source.startsWith("\r\n", offset) ? 2 : 1;
    rows.push(row);
    row = [];
  }
  if (row.length > 0) rows.push(row);
  return rows;
}

function readPlain(source: string, from: number, delimiter: Delimiter): { cell: string; end: number } {
  let end = from;
  while (end < source.length && source[end] !== delimiter && source[end] !== "\n" && source[end] !== "\r")
    end += 1;
  return { cell: source.slice(from, end), end };
}

function readQuoted(source: string, from: number): { cell: string; end: number } {
  let cell = "";
  let offset = from + 1;
  for (;;) {
    const quote = source.indexOf('"', offset);
    if (quote < 0) return { cell: cell + source.slice(offset), end: source.length };
    cell += source.slice(offset, quote);
    if (source[quote + 1] !== '"') return { cell, end: quote + 1 };
    cell += '"';
    offset = quote + 2;
  }
}

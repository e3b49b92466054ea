import { quoteCell } from "@purse/protocol";

/*
 * Tables as text: CSV (RFC 4180), and what spreadsheets put on the clipboard, which is the same with tabs.
 */

export type Delimiter = "," | "\t";

export function written(rows: readonly (readonly string[])[], delimiter: Delimiter): string {
  return rows.map((row) => row.map(quoteCell).join(delimiter)).join("\r\n");
}

/** The rows of a text, with line ends of any kind. A quote that is never closed reaches to the end. */
export function tableIn(text: string, delimiter: Delimiter): string[][] {
  const source = text.replace(/^\uFEFF/, "");
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  while (at < source.length) {
    const { cell, end } = source[at] === '"' ? quotedAt(source, at) : plainAt(source, at, delimiter);
    row.push(cell);
    at = end;
    if (source[at] === delimiter) {
      at += 1;
      // What follows the last delimiter of a text is an empty cell.
      if (at === source.length) row.push("");
      continue;
    }
    at += source.startsWith("\r\n", at) ? 2 : 1;
    rows.push(row);
    row = [];
  }
  if (row.length > 0) rows.push(row);
  return rows;
}

function plainAt(source: string, from: number, delimiter: Delimiter): { cell: string; end: number } {
  let end = from;
  while (end < source.length && source[end] !== delimiter && source[end] !== "\n" && source[end] !== "\r")
    end += 1;
  return { cell: source.slice(from, end), end };
}

function quotedAt(source: string, from: number): { cell: string; end: number } {
  let cell = "";
  let at = from + 1;
  for (;;) {
    const quote = source.indexOf('"', at);
    if (quote < 0) return { cell: cell + source.slice(at), end: source.length };
    cell += source.slice(at, quote);
    if (source[quote + 1] !== '"') return { cell, end: quote + 1 };
    cell += '"';
    at = quote + 2;
  }
}

import { type Delimiter, parseDelimited as parseCells, quoteCell } from "@purse/protocol";

/** Formats a table as CSV (RFC 4180), or as tab-separated text for spreadsheets. */
export function formatDelimited(rows: readonly (readonly string[])[], delimiter: Delimiter): string {
  return rows.map((row) => row.map(quoteCell).join(delimiter)).join("\r\n");
}

/** Parses text that a spreadsheet has copied. An unclosed quote extends to the end. */
export function parseDelimited(text: string, delimiter: Delimiter): string[][] {
  return parseCells(text, delimiter).rows.map(({ cells }) => cells.map((cell) => cell.text));
}

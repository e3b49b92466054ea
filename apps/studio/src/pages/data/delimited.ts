import { quoteCell, sameLineEnds } from "@purse/protocol";
import Papa from "papaparse";

/*
 * Delimited text: CSV (RFC 4180) and tab-separated text as copied by spreadsheets.
 */

export type Delimiter = "," | "\t";

export function formatDelimited(rows: readonly (readonly string[])[], delimiter: Delimiter): string {
  return rows.map((row) => row.map(quoteCell).join(delimiter)).join("\r\n");
}

/** Parses delimited text with any line endings. An unclosed quote extends to the end. */
export function parseDelimited(text: string, delimiter: Delimiter): string[][] {
  // A line end ends the last row; it does not begin another one.
  return Papa.parse<string[]>(sameLineEnds(text).replace(/\r?\n$/, ""), { delimiter }).data;
}

import { escapeFormula, quoteCell } from "@purse/protocol";

/**
 * Rows as RFC 4180 text. A cell that a spreadsheet would take for a formula begins with an apostrophe: names of tokens are
 * anybody's.
 */
export function csvOf(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  return [columns, ...rows].map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}

function cell(value: string): string {
  const isNumber = /^-?\d+(\.\d+)?$/.test(value);
  return quoteCell(isNumber ? value : escapeFormula(value));
}

import { escapeFormula, quoteCell } from "@purse/protocol";

/**
 * Formats rows as RFC 4180 text. Cells that a spreadsheet could run as a formula start with an apostrophe, because
 * token names are untrusted.
 */
export function csvOf(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  return [columns, ...rows].map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}

function cell(value: string): string {
  const isNumber = /^-?\d+(\.\d+)?$/.test(value);
  return quoteCell(isNumber ? value : escapeFormula(value));
}

/**
 * Characters that begin a formula in a spreadsheet, possibly after invisible ones: spaces, line ends, control and
 * zero-width characters. Spreadsheets treat the full-width and small forms of East Asian input methods the same.
 */
const BLANK = "[\\p{Z}\\p{C}]*";
const SIGNS = "[=+\\-@＝＋－＠﹦﹢﹣﹫]";
const FORMULA = new RegExp(`^(?:${BLANK}${SIGNS}|[\\t\\r\\n])`, "u");
/** A formula after any number of apostrophes. All of these are escaped so that unescaping is unambiguous. */
const ESCAPABLE = new RegExp(`^'*(?:${BLANK}${SIGNS}|[\\t\\r\\n])`, "u");

/** Whether a spreadsheet would evaluate a cell with this text. */
export function isFormula(text: string): boolean {
  return FORMULA.test(text);
}

/** Escapes a text so that no spreadsheet evaluates it: prepends an apostrophe to possible formulas. */
export function escapeFormula(text: string): string {
  return ESCAPABLE.test(text) ? `'${text}` : text;
}

/** Reverses `escapeFormula`; other text is returned unchanged. */
export function unescapeFormula(text: string): string {
  return text.startsWith("'") && ESCAPABLE.test(text) ? text.slice(1) : text;
}

/**
 * Formats a CSV cell (RFC 4180), quoted if necessary. Separators that spreadsheets use in other locales are quoted,
 * too.
 */
export function quoteCell(text: string): string {
  return /[",;\t|\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

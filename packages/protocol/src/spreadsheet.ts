/**
 * What spreadsheets take for the beginning of a formula, behind whatever does not show: spaces, line ends, control and
 * zero-width characters. The wide and small forms are what East Asian input methods write; spreadsheets read them alike.
 */
const BLANK = "[\\p{Z}\\p{C}]*";
const SIGNS = "[=+\\-@＝＋－＠﹦﹢﹣﹫]";
const FORMULA = new RegExp(`^(?:${BLANK}${SIGNS}|[\\t\\r\\n])`, "u");
/** Text that is a formula behind any number of apostrophes: one more or one less of them has to be told apart. */
const MARKABLE = new RegExp(`^'*(?:${BLANK}${SIGNS}|[\\t\\r\\n])`, "u");

/** Whether a spreadsheet would run a cell of this text. */
export function isFormula(text: string): boolean {
  return FORMULA.test(text);
}

/** The text as a cell that no spreadsheet runs: with an apostrophe before what looks like a formula. */
export function escapeFormula(text: string): string {
  return MARKABLE.test(text) ? `'${text}` : text;
}

/** The text that `escapeFormula` was given; other text stays as it is. */
export function unescapeFormula(text: string): string {
  return text.startsWith("'") && MARKABLE.test(text) ? text.slice(1) : text;
}

/**
 * A cell of a table as text (RFC 4180), in quotes where it needs them. Separators that other languages' spreadsheets
 * use are quoted too.
 */
export function quoteCell(text: string): string {
  return /[",;\t|\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A decimal number as its digits, without separators; either part may be empty, not both. */
export interface Decimal {
  whole: string;
  fraction: string;
}

/** Why a text is not read as a number; an ambiguous one with both numbers that it could mean, as the locale writes them. */
export type DecimalRefusal =
  | { refusal: "invalid" }
  | { refusal: "ambiguous"; readings: readonly [whole: string, decimal: string] };

/** Spaces of every width and apostrophes: people and programs only put them between groups of digits. */
const GROUP_MARKS = /[\s'’]/g;
/** Groups of three; in India groups of two before the last three. */
const GROUPED = {
  " ": /^\d{1,3}(?: \d{3})+$/,
  ",": /^\d{1,3}(?:(?:,\d{3})+|(?:,\d{2})+,\d{3})$/,
  ".": /^\d{1,3}(?:\.\d{3})+$/,
} as const;

type Separator = keyof typeof GROUPED;

/**
 * Reads a number without a sign as people type and paste it: `1.5`, `1,5`, `1,234.5`, `1.234,5`, `1 234,5`, `1'234.5`.
 * A single separator before exactly three digits is read as the locale's decimal separator where it is that one.
 * Otherwise it could be either: it is refused, unless the number can have no three decimals (`maxFraction`).
 */
export function readDecimal(
  text: string,
  locale: string | undefined,
  maxFraction = Number.POSITIVE_INFINITY,
): Decimal | DecimalRefusal {
  const clean = text.trim().replace(GROUP_MARKS, " ");
  const last = Math.max(clean.lastIndexOf("."), clean.lastIndexOf(","));
  if (last < 0) return wholeNumber(clean);
  const separator: Separator = clean[last] === "." ? "." : ",";
  const [before, after] = [clean.slice(0, last), clean.slice(last + 1)];
  // The same separator twice stands between groups: `1,234,567`.
  if (before.includes(separator)) return ungrouped(clean, separator);
  if (!/^\d*$/.test(after) || before + after === "") return { refusal: "invalid" };
  if (/[ .,]/.test(before)) {
    const whole = ungrouped(before, before.includes(" ") ? " " : separator === "." ? "," : ".");
    return "refusal" in whole ? whole : { whole: whole.whole, fraction: after };
  }
  if (!/^\d*$/.test(before)) return { refusal: "invalid" };
  const couldBeGroup = /^[1-9]\d{0,2}$/.test(before) && after.length === 3;
  if (!couldBeGroup || separator === decimalSeparator(locale)) return { whole: before, fraction: after };
  if (maxFraction < 3) return { whole: before + after, fraction: "" };
  const decimal = [before, after.replace(/0+$/, "")].filter(Boolean).join(decimalSeparator(locale));
  return { refusal: "ambiguous", readings: [before + after, decimal] };
}

function wholeNumber(text: string): Decimal | DecimalRefusal {
  if (/^\d+$/.test(text)) return { whole: text, fraction: "" };
  return ungrouped(text, " ");
}

function ungrouped(text: string, separator: Separator): Decimal | DecimalRefusal {
  if (!GROUPED[separator].test(text)) return { refusal: "invalid" };
  return { whole: text.replaceAll(separator, ""), fraction: "" };
}

/** `.` or `,`, as the locale writes it. */
export function decimalSeparator(locale?: string): string {
  return (1.5).toLocaleString(locale).charAt(1);
}

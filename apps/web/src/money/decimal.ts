import { formatNumber } from "@purse/ui";

/** The digits of a decimal number without separators. Either part may be empty, but not both. */
export interface Decimal {
  integer: string;
  fraction: string;
}

/** Why a text is not a number. Ambiguous input has both possible numbers, formatted for the locale. */
export type DecimalError =
  | { reason: "invalid" }
  | { reason: "ambiguous"; readings: readonly [integer: string, decimal: string] };

/** Spaces and apostrophes are only used as group separators. */
const GROUP_SEPARATORS = /[\s'’]/g;
/** Groups of three digits, or the Indian grouping. */
const GROUPED = {
  " ": /^\d{1,3}(?: \d{3})+$/,
  ",": /^\d{1,3}(?:(?:,\d{3})+|(?:,\d{2})+,\d{3})$/,
  ".": /^\d{1,3}(?:\.\d{3})+$/,
} as const;

type Separator = keyof typeof GROUPED;

/**
 * Parses an unsigned number as users type or paste it: `1.5`, `1,5`, `1,234.5`, `1.234,5`, `1 234,5`, `1'234.5`.
 * A single separator before exactly three digits is the decimal separator if the locale uses it as such.
 * Otherwise the number is ambiguous and rejected, unless it has fewer than three decimals (`maxFraction`).
 */
export function parseDecimal(
  text: string,
  locale: string | undefined,
  maxFraction = Number.POSITIVE_INFINITY,
): Decimal | DecimalError {
  const clean = toHalfWidth(text).trim().replace(GROUP_SEPARATORS, " ");
  const last = Math.max(clean.lastIndexOf("."), clean.lastIndexOf(","));
  if (last < 0) return parseInteger(clean);
  const separator: Separator = clean[last] === "." ? "." : ",";
  const [before, after] = [clean.slice(0, last), clean.slice(last + 1)];
  // A separator that occurs twice is a group separator: `1,234,567`.
  if (before.includes(separator)) return removeGroups(clean, separator);
  if (!/^\d*$/.test(after) || before + after === "") return { reason: "invalid" };
  if (/[ .,]/.test(before)) {
    const whole = removeGroups(before, before.includes(" ") ? " " : separator === "." ? "," : ".");
    return "reason" in whole ? whole : { integer: whole.integer, fraction: after };
  }
  if (!/^\d*$/.test(before)) return { reason: "invalid" };
  const couldBeGroup = /^[1-9]\d{0,2}$/.test(before) && after.length === 3;
  if (!couldBeGroup || separator === decimalSeparator(locale)) return { integer: before, fraction: after };
  if (maxFraction < 3) return { integer: before + after, fraction: "" };
  const decimal = [before, after.replace(/0+$/, "")].filter(Boolean).join(decimalSeparator(locale));
  return { reason: "ambiguous", readings: [before + after, decimal] };
}

/** Input methods of Japanese and Chinese also write digits and separators in full width. */
function toHalfWidth(text: string): string {
  return text.replace(/[０-９．，]/g, (character) => String.fromCharCode(character.charCodeAt(0) - 0xfee0));
}

function parseInteger(text: string): Decimal | DecimalError {
  if (/^\d+$/.test(text)) return { integer: text, fraction: "" };
  return removeGroups(text, " ");
}

function removeGroups(text: string, separator: Separator): Decimal | DecimalError {
  if (!GROUPED[separator].test(text)) return { reason: "invalid" };
  return { integer: text.replaceAll(separator, ""), fraction: "" };
}

/** The decimal separator of the locale, `.` or `,`. */
export function decimalSeparator(locale?: string): string {
  return formatNumber(1.5, locale ?? "en").charAt(1);
}

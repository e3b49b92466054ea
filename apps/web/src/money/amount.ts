import { formatNumber, type Translator } from "@purse/ui";
import { decimalSeparator, parseDecimal } from "./decimal.ts";

/** A parsed amount in the smallest unit, or why the input is invalid. */
export type ParsedAmount =
  | { value: bigint }
  | { reason: "invalid" | "decimals" }
  /** Both possible amounts, formatted for the locale. */
  | { reason: "ambiguous"; readings: readonly [integer: string, decimal: string] };

/** Longer integers are rejected. */
const MAX_INTEGER_DIGITS = 30;

/** Parses an amount as users type or paste it (`1.5`, `1,5`, `1,234.5`). See `parseDecimal` for the locale rules. */
export function parseAmount(text: string, decimals: number, locale?: string): ParsedAmount {
  const parsed = parseDecimal(text, locale, decimals);
  if ("reason" in parsed) return parsed;
  const { integer, fraction } = parsed;
  if (integer.length > MAX_INTEGER_DIGITS) return { reason: "invalid" };
  if (fraction.length > decimals) return { reason: "decimals" };
  return { value: BigInt(integer + fraction.padEnd(decimals, "0")) };
}

/** Translates why an amount could not be parsed. */
export function amountProblem(
  parsed: Exclude<ParsedAmount, { value: bigint }>,
  decimals: number,
  t: Translator["t"],
): string {
  if (parsed.reason === "ambiguous") {
    const [whole, decimal] = parsed.readings;
    return t("This could mean {whole} or {decimal}. Enter one of them.", { whole, decimal });
  }
  if (decimals === 0) return t("Enter a whole number, such as 2.");
  return t("Enter an amount, such as 1.5 (up to {n, number} decimals).", { n: decimals });
}

/** The inverse of `exactAmount`, for amounts in the URL. Returns undefined for anything else. */
export function parseExactAmount(text: string, decimals: number): bigint | undefined {
  const [, whole, fraction = ""] = /^(\d{1,30})(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole === undefined || fraction.length > decimals) return undefined;
  return BigInt(whole + fraction.padEnd(decimals, "0"));
}

/** The exact amount as text for URLs and programs: `1234.5`. */
export function exactAmount(value: bigint, decimals: number): string {
  const digits = value.toString().padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = decimals === 0 ? "" : digits.slice(-decimals).replace(/0+$/, "");
  return fraction === "" ? whole : `${whole}.${fraction}`;
}

/** Formats an exact amount for an input so that `parseAmount` reads it back in the same locale: `1234.5`, in German `1234,5`. */
export function formatInputAmount(value: bigint, decimals: number, locale?: string): string {
  return exactAmount(value, decimals).replace(".", decimalSeparator(locale));
}

/** From here on, two decimals are shown. */
const LARGE = 1_000_000n;

/** Formats an amount for display: grouped for the locale, at most six decimals (two from a million on), rounded down. */
export function formatAmount(value: bigint, decimals: number, locale?: string): string {
  const [whole = "0", fraction = ""] = exactAmount(value, decimals).split(".");
  const shown = fraction.slice(0, BigInt(whole) < LARGE ? 6 : 2).replace(/0+$/, "");
  if (shown === "" && fraction !== "" && whole === "0") return `< 0${decimalSeparator(locale)}000001`;
  return joinDecimal(whole, shown, locale);
}

/** Formats an amount with all its digits, grouped for the locale: `1,234.5`. */
export function formatExactAmount(value: bigint, decimals: number, locale?: string): string {
  const [whole = "0", fraction = ""] = exactAmount(value, decimals).split(".");
  return joinDecimal(whole, fraction, locale);
}

function joinDecimal(whole: string, fraction: string, locale: string | undefined): string {
  const grouped = formatNumber(BigInt(whole), locale ?? "en");
  return fraction === "" ? grouped : `${grouped}${decimalSeparator(locale)}${fraction}`;
}

/** Formats an amount that a balance changes by: `+1.5`, `−3`; one below six decimals with all its digits. */
export function formatSignedAmount(
  sign: "+" | "−",
  value: bigint,
  decimals: number,
  locale?: string,
): string {
  const text = formatAmount(value, decimals, locale);
  return sign + (text.startsWith("<") ? formatExactAmount(value, decimals, locale) : text);
}

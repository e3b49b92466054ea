import { numberFormat } from "./numbers.ts";

/** Formats a number of unknown size with `digits` significant ones, but all of its integer part: `1,234,567.89`, `0.001235`. */
export function formatSignificant(value: number, language: string, digits = 4): string {
  return withLowerBound(value, SMALLEST, language, {
    maximumSignificantDigits: digits,
    maximumFractionDigits: 2,
    roundingPriority: "morePrecision",
  });
}

/** How many significant digits tell values apart that differ by `step`: four, or more. */
export function digitsFor(value: number, step?: number): number {
  if (step === undefined || value === 0) return 4;
  const digits = Math.floor(Math.log10(Math.abs(value))) - Math.floor(Math.log10(step)) + 1;
  return Math.min(15, Math.max(4, digits));
}

/** Formats a number in compact notation: `1.2K`. */
export function formatCompact(value: number, language: string): string {
  return numberFormat(language, { notation: "compact", maximumFractionDigits: 1 }).format(value);
}

/** Formats a share, with 1 as 100 %: `12.34%`, `< 0.01%`. */
export function formatPercent(share: number, language: string, maximumFractionDigits = 2): string {
  return withLowerBound(share, 10 ** -(maximumFractionDigits + 2), language, {
    style: "percent",
    maximumFractionDigits,
  });
}

/** Smaller numbers are not worth their digits. Prices of tokens in other tokens are often below a billionth. */
const SMALLEST = 1e-15;

/** Formats a number. One that is closer to zero than `smallest`, but not zero, is `< 0.01` or `> -0.01`. */
export function withLowerBound(
  value: number,
  smallest: number,
  language: string,
  options: Intl.NumberFormatOptions,
): string {
  const format = numberFormat(language, options);
  const size = Math.abs(value);
  if (size === 0 || size >= smallest || Number.isNaN(size)) return format.format(value);
  return value < 0 ? `> ${format.format(-smallest)}` : `< ${format.format(smallest)}`;
}

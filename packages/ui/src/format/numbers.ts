const formats = new Map<string, Intl.NumberFormat>();

/** A number format of a language. They are kept, because creating one takes longer than formatting a number. */
export function numberFormat(language: string, options: Intl.NumberFormatOptions = {}): Intl.NumberFormat {
  const key = language + JSON.stringify(options);
  const known = formats.get(key) ?? new Intl.NumberFormat(language, options);
  formats.set(key, known);
  return known;
}

/** Formats a value on the axis of a chart of counts: there are no labels, and so no lines, between integers. */
export function formatCount(value: number, language: string): string {
  return Number.isInteger(value) ? formatNumber(value, language) : "";
}

/** Formats a number with separators of thousands and up to two decimals: `1,234.57`. */
export function formatNumber(value: number | bigint, language: string, maximumFractionDigits = 2): string {
  return numberFormat(language, { maximumFractionDigits }).format(value);
}

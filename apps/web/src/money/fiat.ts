import { digitsFor, numberFormat, withLowerBound } from "@purse/ui";

const DOLLARS = { style: "currency", currency: "USD" } as const;
/** In USD. Smaller amounts are not worth their digits. */
const SMALLEST = 0.000001;

/** Formats a USD amount: `$1,204.50`, below a cent `$0.0012`, and `< $0.000001`. */
export function formatFiat(usd: number, language = "en"): string {
  const isSmall = usd !== 0 && Math.abs(usd) < 0.01;
  return withLowerBound(usd, SMALLEST, language, {
    ...DOLLARS,
    ...(isSmall ? { maximumSignificantDigits: 2 } : { maximumFractionDigits: 2 }),
  });
}

/** Formats the price of a token in USD, to the cent or with `digits` significant ones: `$1,978.32`, `$0.1235`. */
export function formatFiatPrice(usd: number, language: string, digits = 4): string {
  const integerDigits = usd === 0 ? 1 : Math.floor(Math.log10(Math.abs(usd))) + 1;
  return withLowerBound(usd, 1e-12, language, {
    ...DOLLARS,
    minimumFractionDigits: 2,
    maximumFractionDigits: Math.min(20, Math.max(2, digits - integerDigits)),
  });
}

/** Formats a USD amount in compact notation: `$20.53M`; with more digits if amounts that differ by `step` are compared. */
export function formatCompactFiat(usd: number, language = "en", step?: number): string {
  if (Math.abs(usd) < 10_000) return formatFiat(usd, language);
  const maximumSignificantDigits = digitsFor(usd, step);
  return numberFormat(language, { ...DOLLARS, notation: "compact", maximumSignificantDigits }).format(usd);
}

/** The USD value of an exact amount. Double precision is sufficient for display. */
export function fiatValue(amount: bigint, decimals: number, usdPrice: number): number {
  const whole = amount / 10n ** BigInt(decimals);
  const rest = amount % 10n ** BigInt(decimals);
  return (Number(whole) + Number(rest) / 10 ** decimals) * usdPrice;
}

/** USD inputs have at most six decimals. */
export const FIAT_DECIMALS = 6;

/** The amount, in its smallest unit, that `micros` (millionths of a USD) buy, rounded down. */
export function amountForFiat(micros: bigint, decimals: number, usdPrice: number): bigint | undefined {
  if (!(usdPrice > 0)) return undefined;
  // A price has the precision of a double; scaling it by 10^12 is exact enough to round down.
  const price = BigInt(Math.round(usdPrice * 1e12));
  return price === 0n ? undefined : (micros * 10n ** 6n * 10n ** BigInt(decimals)) / price;
}

/** Formats a change of a USD amount with its sign: `+$1.20`. */
export function formatFiatChange(usd: number, language = "en"): string {
  const size = Math.abs(usd) < SMALLEST ? 0 : Math.abs(usd);
  return `${signOf(size && usd)}${formatFiat(size, language)}`;
}

/** Formats a change in percent with its sign: `−1.5%`. */
export function formatPercentChange(percent: number, language = "en"): string {
  const format = numberFormat(language, { style: "percent", maximumFractionDigits: 2 });
  return `${signOf(percent)}${format.format(Math.abs(percent) / 100)}`;
}

function signOf(value: number): string {
  return value > 0 ? "+" : value < 0 ? "−" : "";
}

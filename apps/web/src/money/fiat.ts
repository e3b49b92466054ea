/** Formats a USD amount. */
export function formatFiat(usd: number, language?: string): string {
  const isSmall = usd !== 0 && Math.abs(usd) < 0.01;
  return new Intl.NumberFormat(language, {
    style: "currency",
    currency: "USD",
    ...(isSmall ? { maximumSignificantDigits: 2 } : { maximumFractionDigits: 2 }),
  }).format(usd);
}

/** Formats a USD amount in compact notation: `$20.53M`. */
export function formatCompactFiat(usd: number, language?: string): string {
  if (Math.abs(usd) < 10_000) return formatFiat(usd, language);
  const format = {
    style: "currency",
    currency: "USD",
    notation: "compact",
    maximumSignificantDigits: 4,
  } as const;
  return new Intl.NumberFormat(language, format).format(usd);
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
export function formatFiatChange(usd: number, language?: string): string {
  return `${signOf(usd)}${formatFiat(Math.abs(usd), language)}`;
}

/** Formats a change in percent with its sign: `−1.5%`. */
export function formatPercentChange(percent: number, language?: string): string {
  const format = new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 2 });
  return `${signOf(percent)}${format.format(Math.abs(percent) / 100)}`;
}

function signOf(value: number): string {
  return value > 0 ? "+" : value < 0 ? "−" : "";
}

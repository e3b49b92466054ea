/** US dollars, as people read them. */
export function formatFiat(usd: number, language?: string): string {
  const isSmall = usd !== 0 && Math.abs(usd) < 0.01;
  return new Intl.NumberFormat(language, {
    style: "currency",
    currency: "USD",
    ...(isSmall ? { maximumSignificantDigits: 2 } : { maximumFractionDigits: 2 }),
  }).format(usd);
}

/** The same where there is little room: `$20.53M`. */
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

/** What an amount is worth. The amount is exact up to here; money for the eye needs no more than a double has. */
export function fiatValue(amount: bigint, decimals: number, usdPrice: number): number {
  const whole = amount / 10n ** BigInt(decimals);
  const rest = amount % 10n ** BigInt(decimals);
  return (Number(whole) + Number(rest) / 10 ** decimals) * usdPrice;
}

/** Dollars are typed to a millionth. */
export const FIAT_DECIMALS = 6;

/** How much of something a sum of dollars buys, in its smallest unit, rounded down. `micros` are millionths of a dollar. */
export function amountForFiat(micros: bigint, decimals: number, usdPrice: number): bigint | undefined {
  if (!(usdPrice > 0)) return undefined;
  // A price has as many digits as a double; the product with ten to the eighteenth is exact enough to round down.
  const price = BigInt(Math.round(usdPrice * 1e12));
  return price === 0n ? undefined : (micros * 10n ** 6n * 10n ** BigInt(decimals)) / price;
}

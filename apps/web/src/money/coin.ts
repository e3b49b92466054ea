import { formatAmount, formatExactAmount } from "./amount.ts";

/** The units of coins with 18 decimals. `coin` is the coin itself, such as ETH. */
export const COIN_UNITS = ["coin", "gwei", "wei"] as const;
export type CoinUnit = (typeof COIN_UNITS)[number];

export interface Coin {
  symbol: string;
  decimals: number;
}

const DECIMALS: Record<CoinUnit, number> = { coin: 18, gwei: 9, wei: 0 };
/** Amounts below a millionth of a unit are shown in the next smaller one, in wei. */
const MIN_COINS = 10n ** 12n;
const MIN_GWEI = 10n ** 6n;

export function isCoinUnit(value: unknown): value is CoinUnit {
  return COIN_UNITS.some((unit) => unit === value);
}

/** The name of a unit: `ETH`, `Gwei`, `wei`. */
export function coinUnitName(unit: CoinUnit, { symbol }: Coin): string {
  return { coin: symbol, gwei: "Gwei", wei: "wei" }[unit];
}

/** The unit in which an amount has digits that can be read: very small ones are in Gwei or wei. */
export function readableUnit(wei: bigint, { decimals }: Coin): CoinUnit {
  const size = wei < 0n ? -wei : wei;
  if (decimals !== 18 || size === 0n || size >= MIN_COINS) return "coin";
  return size >= MIN_GWEI ? "gwei" : "wei";
}

/** The parts of an amount of coins for display. `exact` has all digits. */
export function coinAmount(
  wei: bigint,
  coin: Coin,
  language: string,
  unit: CoinUnit = readableUnit(wei, coin),
): { text: string; unit: string; exact: string } {
  const decimals = unit === "coin" ? coin.decimals : DECIMALS[unit];
  const sign = wei < 0n ? "\u2212" : "";
  const size = wei < 0n ? -wei : wei;
  return {
    text: sign + formatAmount(size, decimals, language),
    unit: coinUnitName(unit, coin),
    exact: sign + formatExactAmount(size, decimals, language),
  };
}

/** Formats an amount of coins with its unit: `0.01 ETH`, `420 Gwei`. */
export function formatCoins(wei: bigint, coin: Coin, language: string): string {
  const { text, unit } = coinAmount(wei, coin, language);
  return `${text} ${unit}`;
}

/** The unit of a price of gas, which is usually given in Gwei. */
export function gasPriceUnit(wei: bigint): CoinUnit {
  return wei > 0n && wei < MIN_GWEI ? "wei" : "gwei";
}

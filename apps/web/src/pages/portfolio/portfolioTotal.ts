import { fiatValue } from "../../money/fiat.ts";
import type { SpamOverrides } from "./spamOverrides.ts";
import { type ChainHoldings, tokenRows } from "./tokenRows.ts";

export interface PortfolioTotal {
  /** Value in US dollars of the assets whose price is known; null if none is. */
  usd: number | null;
  /** How the prices changed it within 24 hours, in US dollars; null if unknown. */
  change: number | null;
  /** The change in percent of the value before; null if unknown. */
  percent: number | null;
  /** Number of assets without a price. */
  missingPrices: number;
}

/** Sums the values of the assets on all chains. Likely spam is left out. */
export function portfolioTotal(holdings: ChainHoldings[], overrides: SpamOverrides): PortfolioTotal {
  const owned = tokenRows(holdings, overrides).good.flatMap(({ asset }) =>
    asset.balance > 0n ? [asset] : [],
  );
  const priced = owned.filter((asset) => asset.usdPrice !== null);
  const usd = priced.reduce(
    (sum, asset) => sum + fiatValue(asset.balance, asset.decimals, asset.usdPrice ?? 0),
    0,
  );
  let [change, before] = [0, 0];
  for (const { balance, decimals, usdPrice, usdDayBefore } of priced) {
    if (usdPrice === null || usdDayBefore === null) continue;
    change += fiatValue(balance, decimals, usdPrice - usdDayBefore);
    before += fiatValue(balance, decimals, usdDayBefore);
  }
  return {
    usd: priced.length === 0 && owned.length > 0 ? null : usd,
    change: before > 0 ? change : null,
    percent: before > 0 ? (change / before) * 100 : null,
    missingPrices: owned.length - priced.length,
  };
}

import { fiatValue } from "../../money/fiat.ts";
import type { SpamOverrides } from "./spamOverrides.ts";
import { type ChainHoldings, tokenRows } from "./tokenRows.ts";

export interface PortfolioTotal {
  /** Value in US dollars of the assets whose price is known; null if none is. */
  usd: number | null;
  /** Number of assets whose price could not be loaded. */
  failedPrices: number;
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
  const failedPrices = owned.filter((asset) => asset.hasPriceFailed).length;
  return {
    usd: priced.length === 0 && owned.length > 0 ? null : usd,
    failedPrices,
    missingPrices: owned.length - priced.length - failedPrices,
  };
}

import { worth } from "../../money/fiat.ts";
import { type SpamReason, seenSymbol, spamReason } from "../../money/spam.ts";
import type { AppChain } from "../../settings.ts";
import type { Asset } from "../../wallet/holdings.ts";
import { keyOf, type Verdicts } from "./verdicts.ts";

/** Below this many dollars something is dust. */
const DUST = 1;

/** What an address holds of one chain, or why that is not known. */
export interface ChainHoldings {
  chain: AppChain;
  assets: Asset[];
  error: unknown;
}

/** An asset with what is thought of it. */
export interface Row {
  asset: Asset;
  reason: SpamReason | undefined;
  /** Whether another contract on the chain has a symbol that looks the same. */
  collides: boolean;
}

/** What is held, and what is likely to be spam: that counts for nothing. */
export function tokenRows(
  holdings: readonly ChainHoldings[],
  verdicts: Verdicts,
): { good: Row[]; spam: Row[] } {
  const rows = holdings.flatMap(({ assets }) => assets.map((asset) => judged(asset, assets)));
  const isSpam = ({ asset, reason }: Row) =>
    (verdicts[keyOf(asset)] ?? (reason ? "spam" : "fine")) === "spam";
  return { good: rows.filter((row) => !isSpam(row)), spam: rows.filter(isSpam) };
}

function judged(asset: Asset, all: readonly Asset[]): Row {
  const seen = seenSymbol(asset.symbol);
  const collides =
    seen !== "" && all.some((other) => other.address !== asset.address && seenSymbol(other.symbol) === seen);
  if (asset.address === null) return { asset, reason: undefined, collides };
  const tokens = all.flatMap(({ address, name, symbol, usdPrice }) =>
    address === null ? [] : [{ address, name, symbol, isPriced: usdPrice !== null }],
  );
  const own = tokens.find((token) => token.address === asset.address);
  return { asset, reason: own && spamReason(own, tokens, asset.chain.nativeCurrency.symbol), collides };
}

/** Only what has a price can be told to be worth little. */
export function isDust({ balance, decimals, usdPrice, address }: Asset): boolean {
  if (balance === 0n) return address !== null;
  return usdPrice !== null && worth(balance, decimals, usdPrice) < DUST;
}

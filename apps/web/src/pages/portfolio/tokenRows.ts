import type { QueryResult } from "@purse/ui";
import { fiatValue } from "../../money/fiat.ts";
import { normalizeSymbol, type SpamReason, spamReason } from "../../money/spam.ts";
import type { AppChain } from "../../settings.ts";
import type { Asset } from "../../wallet/holdings.ts";
import { keyOf, type SpamOverrides } from "./spamOverrides.ts";

/** Assets below this USD value are dust. */
const DUST_USD = 1;

/** The holdings on one chain. */
export interface ChainHoldings {
  chain: AppChain;
  assets: Asset[];
}

/** The query of the holdings on one chain; keeps its last data after errors. */
export interface ChainQuery {
  chain: AppChain;
  query: QueryResult<Asset[]>;
}

/** The holdings that are loaded. */
export function loadedHoldings(all: readonly ChainQuery[]): ChainHoldings[] {
  return all.flatMap(({ chain, query: { data } }) => (data ? [{ chain, assets: data }] : []));
}

/**
 * Combines the holdings of all chains into one query: loading until all are settled, failed if one failed, with the
 * data of the others, as old as the oldest.
 */
export function combineHoldings(all: readonly ChainQuery[]): QueryResult<ChainHoldings[]> {
  const known = loadedHoldings(all);
  const failed = all.find(({ query }) => query.error !== null);
  const isWaiting = all.some(({ query }) => query.data === undefined && query.error === null);
  return {
    data: isWaiting || known.length === 0 ? undefined : known,
    error: isWaiting ? null : (failed?.query.error ?? null),
    isFetching: all.some(({ query }) => query.isFetching),
    dataUpdatedAt: Math.min(...all.flatMap(({ query }) => (query.data ? [query.dataUpdatedAt] : []))),
    refetch: () => {
      for (const { query } of all) query.refetch();
    },
  };
}

/** An asset with the result of the spam check. */
export interface Row {
  asset: Asset;
  reason: SpamReason | undefined;
  /** Whether another contract on the chain has a confusable symbol. */
  hasDuplicateSymbol: boolean;
}

/** Splits the holdings into regular tokens and likely spam. */
export function tokenRows(
  holdings: readonly ChainHoldings[],
  overrides: SpamOverrides,
): { good: Row[]; spam: Row[] } {
  const rows = holdings.flatMap(({ assets }) => assets.map((asset) => toRow(asset, assets)));
  const isSpam = ({ asset, reason }: Row) =>
    (overrides[keyOf(asset)] ?? (reason ? "spam" : "fine")) === "spam";
  return { good: rows.filter((row) => !isSpam(row)), spam: rows.filter(isSpam) };
}

function toRow(asset: Asset, all: readonly Asset[]): Row {
  const normalized = normalizeSymbol(asset.symbol);
  const hasDuplicateSymbol =
    normalized !== "" &&
    all.some((other) => other.address !== asset.address && normalizeSymbol(other.symbol) === normalized);
  if (asset.address === null) return { asset, reason: undefined, hasDuplicateSymbol };
  const tokens = all.flatMap(({ address, name, symbol, usdPrice, isPossibleSpam }) =>
    address === null ? [] : [{ address, name, symbol, isPriced: usdPrice !== null, isPossibleSpam }],
  );
  const own = tokens.find((token) => token.address === asset.address);
  return {
    asset,
    reason: own && spamReason(own, tokens, asset.chain.nativeCurrency.symbol),
    hasDuplicateSymbol,
  };
}

/** Assets without a price are not dust. */
export function isDust({ balance, decimals, usdPrice, address }: Asset): boolean {
  if (balance === 0n) return address !== null;
  return usdPrice !== null && fiatValue(balance, decimals, usdPrice) < DUST_USD;
}

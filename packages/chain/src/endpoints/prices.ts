import type { Exchange } from "../model/chainConfig.ts";
import { marketOf } from "../prices/knownMarkets.ts";
import { logSourceOf, type Pool, type PoolContext } from "../prices/pool.ts";
import { PRICE_TOPICS, priceAfter } from "../prices/poolEvents.ts";
import { PriceUnavailableError, priceByRoute, type TokenPrice, tokenPrices } from "../prices/tokenPrice.ts";
import { type ChainContext, withNodeErrors } from "./chainContext.ts";
import { loadTokenMetadata } from "./tokenMetadata.ts";

const DAY_SECONDS = 86_400;

/** A price and how it changed within 24 hours. */
export interface PriceWithChange extends TokenPrice {
  /** In US dollars, 24 hours before the block of the price; undefined if the index has no price of then. */
  usdDayBefore: number | undefined;
}

/** Prices of tokens at one block. */
export interface Prices {
  prices: Map<string, PriceWithChange | PriceUnavailableError>;
  /** The block of the prices. */
  block: number;
}

export interface PricesQuery {
  tokens: readonly string[];
  exchanges: readonly Exchange[];
  /** Default latest. */
  to_block?: number | undefined;
}

/** Reads the prices of tokens at a block, or the reasons why there are none. */
export async function readPrices(
  chain: ChainContext,
  { tokens, exchanges, to_block }: PricesQuery,
): Promise<{ prices: Map<string, TokenPrice | PriceUnavailableError>; block: number }> {
  const market = marketOf(chain.config);
  const decimals = await loadDecimals(chain, tokens);
  return withNodeErrors(chain, to_block, async () => {
    const block = to_block ?? (await chain.node.getBlockNumber());
    const context = poolContextOf(chain, block);
    return { prices: await tokenPrices(context, { tokens, decimals, market, exchanges }), block };
  });
}

/**
 * Like `readPrices`, with the prices of the same pools 24 hours before. These are computed from the indexed events of
 * the pools, so that no node has to keep old state.
 */
export async function readPricesWithChange(chain: ChainContext, query: PricesQuery): Promise<Prices> {
  const { prices, block } = await readPrices(chain, query);
  const found = new Map<string, TokenPrice>();
  for (const [token, price] of prices) if (!(price instanceof PriceUnavailableError)) found.set(token, price);
  const before = found.size === 0 ? undefined : await readDayBefore(chain, found, block);
  const withChange: Prices["prices"] = new Map();
  for (const [token, price] of prices) {
    const isMissing = price instanceof PriceUnavailableError;
    withChange.set(token, isMissing ? price : { ...price, usdDayBefore: before?.get(token) });
  }
  return { prices: withChange, block };
}

/** The prices of tokens 24 hours before a block, in US dollars; those without one are missing. */
async function readDayBefore(
  chain: ChainContext,
  prices: ReadonlyMap<string, TokenPrice>,
  block: number,
): Promise<Map<string, number>> {
  const { wrappedNative: coin, stables } = marketOf(chain.config);
  if (chain.config.scope === "wallets" || coin === undefined) return new Map();
  const now = (await chain.store.block(block)) ?? (await chain.node.getHeader(block));
  const then = now && (await chain.store.blockBefore(now.timestamp - DAY_SECONDS));
  if (!then) return new Map();
  const pools = [...new Set([...prices.values()].flatMap(({ route }) => [route.pool, route.coinPool]))];
  const logs = await chain.store.poolLogs.latestBefore(
    pools.map((pool) => logSourceOf(pool, PRICE_TOPICS[pool.exchange.kind])),
    then.number + 1,
  );
  const priceThen = (pool: Pool) => {
    const found = (logs[pools.indexOf(pool)] ?? []).map((log) => priceAfter(log, pool));
    return found.find((price) => price !== undefined);
  };
  const decimals = await loadDecimals(chain, [...prices.keys(), ...stables]);
  const before = new Map<string, number>();
  for (const [token, { route }] of prices) {
    const [pool, coinPool] = [priceThen(route.pool), priceThen(route.coinPool)];
    const usd = pool && coinPool && priceByRoute(token, route, { pool, coinPool }, decimals, coin);
    if (usd !== undefined) before.set(token, usd);
  }
  return before;
}

/** The decimals of tokens and of the stablecoins, as far as their contracts return them. */
export async function loadDecimals(
  chain: ChainContext,
  tokens: readonly string[],
): Promise<Map<string, number>> {
  const { stables } = marketOf(chain.config);
  const metadata = await loadTokenMetadata(chain, [...new Set([...tokens, ...stables])], 20);
  return new Map(
    [...metadata.values()].flatMap(({ address, decimals }) =>
      decimals === null ? [] : [[address, decimals] as const],
    ),
  );
}

/** The change in percent; undefined without an earlier price. */
export function percentChange(now: number, before: number | undefined): number | null {
  return before === undefined || before === 0 ? null : (now / before - 1) * 100;
}

/** What the pools of a chain are read from at a block. */
export function poolContextOf(chain: ChainContext, block: number): PoolContext {
  const { wrappedNative: coin } = marketOf(chain.config);
  return { node: chain.node, logs: chain.store.poolLogs, coin, block };
}

import type { Exchange, Market } from "../model/chainConfig.ts";
import { divide, type Fraction, multiply, powerOfTen, toNumber } from "./fraction.ts";
import { type Pair, type Pool, type PoolContext, pairOf } from "./pool.ts";
import { findPools, readPools } from "./pools.ts";

const COIN_DECIMALS = 18;
const MAX_UINT256 = 2n ** 256n - 1n;

/** 10^78 exceeds uint256: a token with more decimals has no whole unit. */
const MAX_DECIMALS = 77;

/** Price of one whole token. */
export interface TokenPrice {
  /** In the smallest unit of the native coin, rounded down. */
  native: bigint;
  /** In US dollars. */
  usd: number;
  exchange: Exchange;
  route: PriceRoute;
}

/** The pools from which a price was computed. */
export interface PriceRoute {
  /** Trades the token for the wrapped coin or a stablecoin. */
  pool: Pool;
  /** Trades the wrapped coin for a stablecoin. */
  coinPool: Pool;
  /** Balance of the quote token in `pool`, in US dollars. */
  liquidity: number;
}

/** There is no price. The message follows the token's address. */
export class PriceUnavailableError extends Error {
  override readonly name = "PriceUnavailableError";
}

export interface PriceQuery {
  tokens: readonly string[];
  /** Decimals of the tokens and the stablecoins, by address. */
  decimals: ReadonlyMap<string, number>;
  market: Market;
  /** Exchanges whose pools may determine the price. */
  exchanges: readonly Exchange[];
}

/** The price of one of the tokens of a query. */
type SinglePriceQuery = Omit<PriceQuery, "tokens"> & { token: string };

/** A pool that trades the token for the wrapped coin or a stablecoin. */
interface PricedPool {
  pool: Pool;
  /** Price of one whole token in whole coins. */
  coins: Fraction;
  /** Pool balance of the quote token, in US dollars. */
  liquidity: number;
}

/**
 * Returns the prices of tokens at the block of the context, each from the pool with the most liquidity in the wrapped coin or a
 * stablecoin, or the reason why there is none. They are the prices of small trades; a large trade can have moved them.
 * Rejects like ChainNode.
 */
export async function tokenPrices(
  context: PoolContext,
  query: PriceQuery,
): Promise<Map<string, TokenPrice | PriceUnavailableError>> {
  const { tokens, market } = query;
  const { wrappedNative: coin, stables } = market;
  if (coin === undefined) {
    const problem = new PriceUnavailableError(
      "has no price: the wrapped coin of this chain is not configured",
    );
    return new Map(tokens.map((token) => [token, problem]));
  }
  const pairs = uniquePairs(tokens.flatMap((token) => pricingPairs(token, coin, stables)));
  const references = await findPools(context, market.exchanges, pairs);
  const pools = await readPools(context, references);
  return new Map(tokens.map((token) => [token, priceFromPools(pools, { ...query, token }, coin)]));
}

/** Computes the price of a token from the state of the pools. */
function priceFromPools(
  pools: readonly Pool[],
  query: SinglePriceQuery,
  coin: string,
): TokenPrice | PriceUnavailableError {
  const { token, market, exchanges, decimals } = query;
  const digits = decimals.get(token);
  if (digits === undefined)
    return new PriceUnavailableError("has no price: its contract does not return decimals");
  if (digits > MAX_DECIMALS)
    return new PriceUnavailableError(`has no price: with ${digits} decimals a whole unit exceeds uint256`);
  const coinPool = bestCoinPool(pools, query, coin, market.exchanges);
  const dollars = coinPool && dollarsPerCoin(coinPool, decimals, coin);
  if (!dollars) {
    return new PriceUnavailableError(
      "has no price in dollars: no pool with enough liquidity trades the native coin for a stablecoin",
    );
  }
  if (token === coin) {
    const pool = bestCoinPool(pools, query, coin, exchanges);
    const usd = pool && dollarsPerCoin(pool, decimals, coin);
    if (!usd) return new PriceUnavailableError("has no pool with enough liquidity on this exchange");
    const liquidity = toNumber(multiply({ n: depthOf(pool, coin), d: 10n ** BigInt(COIN_DECIMALS) }, usd));
    return {
      native: 10n ** BigInt(COIN_DECIMALS),
      usd: toNumber(usd),
      exchange: pool.exchange,
      route: { pool, coinPool: pool, liquidity },
    };
  }
  const pricedPools = findPricedPools(pools, query, coin, dollars);
  const [best] = pricedPools
    .filter(({ liquidity }) => liquidity >= market.minimumLiquidity)
    .sort((a, b) => b.liquidity - a.liquidity);
  if (!best) return new PriceUnavailableError(noPoolReason(pricedPools, market.minimumLiquidity));

  const { n, d } = multiply(best.coins, powerOfTen(COIN_DECIMALS));
  const native = n / d;
  const usd = toNumber(multiply(best.coins, dollars));
  if (native > MAX_UINT256 || !Number.isFinite(usd))
    return new PriceUnavailableError("has no price: the price of a whole unit exceeds uint256");
  const { pool, liquidity } = best;
  return { native, usd, exchange: pool.exchange, route: { pool, coinPool, liquidity } };
}

/** Whole quote tokens per whole token. */
export interface PoolPrices {
  /** Of the pool of the route. */
  pool: Fraction;
  /** Of its coin pool. */
  coinPool: Fraction;
}

/**
 * Computes the price of a token in US dollars from other prices of the pools of its route, such as those of another
 * time, as units of the second token per unit of the first; undefined if decimals are missing.
 */
export function priceByRoute(
  token: string,
  { pool, coinPool }: PriceRoute,
  prices: PoolPrices,
  decimals: ReadonlyMap<string, number>,
  coin: string,
): number | undefined {
  const dollars = dollarsPerCoin({ ...coinPool, price: prices.coinPool }, decimals, coin);
  if (token === coin) return dollars && toNumber(dollars);
  const digits = decimals.get(token);
  const other = otherToken(pool, token);
  const otherDigits = other === coin ? COIN_DECIMALS : other && decimals.get(other);
  if (digits === undefined || typeof otherDigits !== "number" || !dollars) return undefined;
  const price = priceIn({ ...pool, price: prices.pool }, token);
  const whole = multiply(price, divide(powerOfTen(digits), powerOfTen(otherDigits)));
  return toNumber(other === coin ? multiply(whole, dollars) : whole);
}

/** The token with each quote token, and the coin with each stablecoin. */
function pricingPairs(token: string, coin: string, stables: readonly string[]) {
  const others = [coin, ...stables].filter((other) => other !== token);
  const pairs = [
    ...others.map((other) => pairOf(token, other)),
    ...stables.map((stable) => pairOf(coin, stable)),
  ];
  return pairs;
}

function uniquePairs(pairs: readonly Pair[]): Pair[] {
  return [...new Map(pairs.map((pair) => [pair.join(), pair])).values()];
}

/** The most liquid pool of the coin and a stablecoin; undefined if none is liquid enough. */
function bestCoinPool(
  pools: readonly Pool[],
  query: SinglePriceQuery,
  coin: string,
  exchanges: readonly Exchange[],
): Pool | undefined {
  const { market, decimals } = query;
  const found = pools.flatMap((pool) => {
    const stable = otherToken(pool, coin);
    const digits = stable === undefined ? undefined : decimals.get(stable);
    if (stable === undefined || digits === undefined || !market.stables.includes(stable)) return [];
    if (!isOfExchange(pool, exchanges)) return [];
    const liquidity = toNumber(divide({ n: depthOf(pool, stable), d: 1n }, powerOfTen(digits)));
    return liquidity >= market.minimumLiquidity ? [{ pool, liquidity }] : [];
  });
  return found.sort((a, b) => b.liquidity - a.liquidity)[0]?.pool;
}

function dollarsPerCoin(
  pool: Pool,
  decimals: ReadonlyMap<string, number>,
  coin: string,
): Fraction | undefined {
  const stable = otherToken(pool, coin);
  const digits = stable === undefined ? undefined : decimals.get(stable);
  if (digits === undefined) return undefined;
  return multiply(priceIn(pool, coin), divide(powerOfTen(COIN_DECIMALS), powerOfTen(digits)));
}

/** The pools that can price the token, with their liquidity. */
function findPricedPools(
  pools: readonly Pool[],
  query: SinglePriceQuery,
  coin: string,
  dollars: Fraction,
): PricedPool[] {
  const { token, decimals, market, exchanges } = query;
  const digits = decimals.get(token);
  if (digits === undefined) return [];
  return pools.flatMap((pool): PricedPool[] => {
    const other = otherToken(pool, token);
    if (other === undefined || !isOfExchange(pool, exchanges)) return [];
    const isCoin = other === coin;
    const otherDigits = isCoin ? COIN_DECIMALS : decimals.get(other);
    if (otherDigits === undefined || !(isCoin || market.stables.includes(other))) return [];
    const price = multiply(priceIn(pool, token), divide(powerOfTen(digits), powerOfTen(otherDigits)));
    const depth = divide({ n: depthOf(pool, other), d: 1n }, powerOfTen(otherDigits));
    return [
      {
        pool,
        coins: isCoin ? price : divide(price, dollars),
        liquidity: toNumber(isCoin ? multiply(depth, dollars) : depth),
      },
    ];
  });
}

function noPoolReason(pricedPools: readonly PricedPool[], minimum: number): string {
  const max = Math.max(0, ...pricedPools.map(({ liquidity }) => liquidity));
  return pricedPools.length === 0
    ? "has no price: no pool trades it for the native coin or a stablecoin"
    : `has no price: its largest pool has a liquidity of ${max.toFixed(2)} dollars, below the minimum of ${minimum}`;
}

function isOfExchange({ exchange }: Pool, exchanges: readonly Exchange[]): boolean {
  return exchanges.some(({ factory, kind }) => factory === exchange.factory && kind === exchange.kind);
}

/** The other token of a pool; undefined if `token` is not in the pool. */
function otherToken({ tokens: [a, b] }: Pool, token: string): string | undefined {
  return token === a ? b : token === b ? a : undefined;
}

function depthOf({ tokens, depth }: Pool, token: string): bigint {
  return token === tokens[0] ? depth[0] : depth[1];
}

/** Price of a unit of one token in units of the other. */
function priceIn({ tokens, price }: Pool, token: string): Fraction {
  return token === tokens[0] ? price : { n: price.d, d: price.n };
}

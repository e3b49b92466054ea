import type { Exchange, Market } from "../model/chainConfig.ts";
import type { ChainNode } from "../node/chainNode.ts";
import { divide, type Fraction, multiply, powerOfTen, toNumber } from "./fraction.ts";
import { findPools, type Pool, pairOf, readPools } from "./pools.ts";

const COIN_DECIMALS = 18;
const MAX_UINT256 = 2n ** 256n - 1n;

/** Price of one whole token. */
export interface TokenPrice {
  /** In the smallest unit of the native coin, rounded down. */
  native: bigint;
  /** In US dollars. */
  usd: number;
  exchange: Exchange;
}

/** There is no price. The message follows the token's address. */
export class PriceUnavailableError extends Error {
  override readonly name = "PriceUnavailableError";
}

export interface PriceQuery {
  token: string;
  /** Decimals of the token and the stablecoins, by address. */
  decimals: ReadonlyMap<string, number>;
  market: Market;
  /** Exchanges whose pools may determine the price. */
  exchanges: readonly Exchange[];
  block: number;
}

/** A pool that trades the token for the wrapped coin or a stablecoin. */
interface PricedPool {
  pool: Pool;
  /** Price of one whole token in whole coins. */
  coins: Fraction;
  /** Pool balance of the quote token, in US dollars. */
  liquidity: number;
}

/**
 * Returns the price of a token at a block, from the pool with the most liquidity in the wrapped coin or a stablecoin.
 * It is the price of a small trade; a large trade can have moved it. Rejects with PriceUnavailableError if there is
 * none, and like ChainNode.
 */
export async function tokenPrice(node: ChainNode, query: PriceQuery): Promise<TokenPrice> {
  const { token, market, exchanges, block } = query;
  const { wrappedNative: coin, stables } = market;
  if (coin === undefined)
    throw new PriceUnavailableError("has no price: the wrapped coin of this chain is not configured");
  const references = await findPools(node, market.exchanges, pricingPairs(token, coin, stables), block);
  const pools = await readPools(node, references, block);

  const dollars = coinPrice(pools, query, coin);
  if (!dollars) {
    throw new PriceUnavailableError(
      "has no price in dollars: no pool with enough liquidity trades the native coin for a stablecoin",
    );
  }
  if (token === coin) {
    const pool = bestCoinPool(pools, query, coin, exchanges);
    if (!pool) throw new PriceUnavailableError("has no pool with enough liquidity on this exchange");
    const usd = dollarsPerCoin(pool, query, coin);
    return { native: 10n ** BigInt(COIN_DECIMALS), usd: usd ? toNumber(usd) : 0, exchange: pool.exchange };
  }
  const pricedPools = findPricedPools(pools, query, coin, dollars);
  const [best] = pricedPools
    .filter(({ liquidity }) => liquidity >= market.minimumLiquidity)
    .sort((a, b) => b.liquidity - a.liquidity);
  if (!best) throw new PriceUnavailableError(noPoolReason(pricedPools, market.minimumLiquidity));

  const { n, d } = multiply(best.coins, powerOfTen(COIN_DECIMALS));
  const native = n / d;
  const usd = toNumber(multiply(best.coins, dollars));
  if (native > MAX_UINT256 || !Number.isFinite(usd))
    throw new PriceUnavailableError("has no price: the price of a whole unit exceeds uint256");
  return { native, usd, exchange: best.pool.exchange };
}

/** The token with each quote token, and the coin with each stablecoin. */
function pricingPairs(token: string, coin: string, stables: readonly string[]) {
  const others = [coin, ...stables].filter((other) => other !== token);
  const pairs = [
    ...others.map((other) => pairOf(token, other)),
    ...stables.map((stable) => pairOf(coin, stable)),
  ];
  return [...new Map(pairs.map((pair) => [pair.join(), pair])).values()];
}

/** US dollars per whole coin, from the most liquid pool of any exchange; undefined if none is liquid enough. */
function coinPrice(pools: readonly Pool[], query: PriceQuery, coin: string): Fraction | undefined {
  const best = bestCoinPool(pools, query, coin, query.market.exchanges);
  return best && dollarsPerCoin(best, query, coin);
}

function bestCoinPool(
  pools: readonly Pool[],
  query: PriceQuery,
  coin: string,
  exchanges: readonly Exchange[],
): Pool | undefined {
  const { market, decimals } = query;
  const found = pools.flatMap((pool) => {
    const stable = otherToken(pool, coin);
    const digits = stable === undefined ? undefined : decimals.get(stable);
    if (stable === undefined || digits === undefined || !market.stables.includes(stable)) return [];
    if (!exchanges.includes(pool.exchange)) return [];
    const liquidity = toNumber(divide({ n: depthOf(pool, stable), d: 1n }, powerOfTen(digits)));
    return liquidity >= market.minimumLiquidity ? [{ pool, liquidity }] : [];
  });
  return found.sort((a, b) => b.liquidity - a.liquidity)[0]?.pool;
}

function dollarsPerCoin(pool: Pool, { decimals }: PriceQuery, coin: string): Fraction | undefined {
  const stable = otherToken(pool, coin);
  const digits = stable === undefined ? undefined : decimals.get(stable);
  if (digits === undefined) return undefined;
  return multiply(priceIn(pool, coin), divide(powerOfTen(COIN_DECIMALS), powerOfTen(digits)));
}

/** The pools that can price the token, with their liquidity. */
function findPricedPools(
  pools: readonly Pool[],
  query: PriceQuery,
  coin: string,
  dollars: Fraction,
): PricedPool[] {
  const { token, decimals, market, exchanges } = query;
  const digits = decimals.get(token);
  if (digits === undefined) return [];
  return pools.flatMap((pool): PricedPool[] => {
    const other = otherToken(pool, token);
    if (other === undefined || !exchanges.includes(pool.exchange)) return [];
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

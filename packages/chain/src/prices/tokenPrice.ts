import type { Exchange, Market } from "../model/chainConfig.ts";
import type { ChainNode } from "../node/chainNode.ts";
import { type Fraction, numberOf, over, powerOfTen, times } from "./fraction.ts";
import { findPools, type Pool, pairOf, readPools } from "./pools.ts";

const COIN_DECIMALS = 18;
const MAX_UINT256 = 2n ** 256n - 1n;

/** What one whole token costs. */
export interface TokenPrice {
  /** In the smallest unit of the chain's coin, rounded down. */
  native: bigint;
  /** In dollars. */
  usd: number;
  exchange: Exchange;
}

/** Why there is no price, in words that follow on a token's address. */
export class NoPrice extends Error {
  override readonly name = "NoPrice";
}

export interface PriceQuestion {
  token: string;
  /** How many decimals the token and the stables have, by address. */
  decimals: ReadonlyMap<string, number>;
  market: Market;
  /** Those whose pools the token may be priced by. */
  exchanges: readonly Exchange[];
  block: number;
}

/** A pool in which the token is paid with something whose worth is known. */
interface Offer {
  pool: Pool;
  /** What a whole token costs, in whole coins. */
  coins: Fraction;
  /** What the pool has of that by which the token is paid, in dollars. */
  liquidity: number;
}

/**
 * The price of a token at a block: that of the pool which holds most of what it is paid with, the wrapped coin or a stable. It
 * is what the next small trade pays, which a large one can have moved. Rejects with NoPrice where there is none, and as
 * ChainNode does.
 */
export async function tokenPrice(node: ChainNode, question: PriceQuestion): Promise<TokenPrice> {
  const { token, market, exchanges, block } = question;
  const { wrappedNative: coin, stables } = market;
  if (coin === undefined) throw new NoPrice("has no price: the wrapped coin of this chain is not configured");
  const places = await findPools(node, market.exchanges, wantedPairs(token, coin, stables), block);
  const pools = await readPools(node, places, block);

  const dollars = coinPrice(pools, question, coin);
  if (!dollars) {
    throw new NoPrice(
      "has no price in dollars: no pool of enough liquidity pays the chain's coin with a stable token",
    );
  }
  if (token === coin) {
    const pool = bestCoinPool(pools, question, coin, exchanges);
    if (!pool) throw new NoPrice("has no pool of enough liquidity on this exchange");
    const usd = dollarsPerCoin(pool, question, coin);
    return { native: 10n ** BigInt(COIN_DECIMALS), usd: usd ? numberOf(usd) : 0, exchange: pool.exchange };
  }
  const offers = offersOf(pools, question, coin, dollars);
  const [best] = offers
    .filter(({ liquidity }) => liquidity >= market.minimumLiquidity)
    .sort((a, b) => b.liquidity - a.liquidity);
  if (!best) throw new NoPrice(noOffer(offers, market.minimumLiquidity));

  const { n, d } = times(best.coins, powerOfTen(COIN_DECIMALS));
  const native = n / d;
  const usd = numberOf(times(best.coins, dollars));
  if (native > MAX_UINT256 || !Number.isFinite(usd))
    throw new NoPrice("has no price: a whole one of it costs more than there is");
  return { native, usd, exchange: best.pool.exchange };
}

/** The token with all that it may be paid with, and the coin with all stables. */
function wantedPairs(token: string, coin: string, stables: readonly string[]) {
  const others = [coin, ...stables].filter((other) => other !== token);
  const pairs = [
    ...others.map((other) => pairOf(token, other)),
    ...stables.map((stable) => pairOf(coin, stable)),
  ];
  return [...new Map(pairs.map((pair) => [pair.join(), pair])).values()];
}

/** Dollars for a whole coin, by the pool of any exchange that holds most dollars; undefined where none holds enough. */
function coinPrice(pools: readonly Pool[], question: PriceQuestion, coin: string): Fraction | undefined {
  const best = bestCoinPool(pools, question, coin, question.market.exchanges);
  return best && dollarsPerCoin(best, question, coin);
}

function bestCoinPool(
  pools: readonly Pool[],
  question: PriceQuestion,
  coin: string,
  exchanges: readonly Exchange[],
): Pool | undefined {
  const { market, decimals } = question;
  const found = pools.flatMap((pool) => {
    const stable = otherOf(pool, coin);
    const digits = stable === undefined ? undefined : decimals.get(stable);
    if (stable === undefined || digits === undefined || !market.stables.includes(stable)) return [];
    if (!exchanges.includes(pool.exchange)) return [];
    const liquidity = numberOf(over({ n: depthOf(pool, stable), d: 1n }, powerOfTen(digits)));
    return liquidity >= market.minimumLiquidity ? [{ pool, liquidity }] : [];
  });
  return found.sort((a, b) => b.liquidity - a.liquidity)[0]?.pool;
}

function dollarsPerCoin(pool: Pool, { decimals }: PriceQuestion, coin: string): Fraction | undefined {
  const stable = otherOf(pool, coin);
  const digits = stable === undefined ? undefined : decimals.get(stable);
  if (digits === undefined) return undefined;
  return times(priceIn(pool, coin), over(powerOfTen(COIN_DECIMALS), powerOfTen(digits)));
}

/** By what pools the token can be priced, with what stands behind each. */
function offersOf(pools: readonly Pool[], question: PriceQuestion, coin: string, dollars: Fraction): Offer[] {
  const { token, decimals, market, exchanges } = question;
  const digits = decimals.get(token);
  if (digits === undefined) return [];
  return pools.flatMap((pool): Offer[] => {
    const other = otherOf(pool, token);
    if (other === undefined || !exchanges.includes(pool.exchange)) return [];
    const isCoin = other === coin;
    const otherDigits = isCoin ? COIN_DECIMALS : decimals.get(other);
    if (otherDigits === undefined || !(isCoin || market.stables.includes(other))) return [];
    const price = times(priceIn(pool, token), over(powerOfTen(digits), powerOfTen(otherDigits)));
    const depth = over({ n: depthOf(pool, other), d: 1n }, powerOfTen(otherDigits));
    return [
      {
        pool,
        coins: isCoin ? price : over(price, dollars),
        liquidity: numberOf(isCoin ? times(depth, dollars) : depth),
      },
    ];
  });
}

function noOffer(offers: readonly Offer[], minimum: number): string {
  const most = Math.max(0, ...offers.map(({ liquidity }) => liquidity));
  return offers.length === 0
    ? "has no price: no pool trades it for the chain's coin or a stable token"
    : `has no price: the best of its pools holds ${most.toFixed(2)} dollars, and ${minimum} are the least that counts`;
}

/** The other token of a pool; undefined where the first is none of its own. */
function otherOf({ tokens: [a, b] }: Pool, token: string): string | undefined {
  return token === a ? b : token === b ? a : undefined;
}

function depthOf({ tokens, depth }: Pool, token: string): bigint {
  return token === tokens[0] ? depth[0] : depth[1];
}

/** What a unit of a token costs in units of the other. */
function priceIn({ tokens, price }: Pool, token: string): Fraction {
  return token === tokens[0] ? price : { n: price.d, d: price.n };
}

import { wordAt } from "../abi/words.ts";
import type { Exchange } from "../model/chainConfig.ts";
import { addressOf } from "../model/topics.ts";
import { V4_INITIALIZE_TOPIC } from "./exchanges/uniswapV4.ts";
import { type Fraction, squarePrice } from "./fraction.ts";
import type { PoolReference } from "./pool.ts";

/** Topic of `Sync(uint112,uint112)` of v2 pools, which follows every change of the reserves. */
const V2_SYNC_TOPIC = "0x1c411e9a96e071241c2f21f7726b17ae89e3cab4c78be50e062b03a9fffbbad1";
/** Topic of `Swap(address,uint256,uint256,uint256,uint256,address)` of v2 pools. */
const V2_SWAP_TOPIC = "0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822";
/** Topic of `Swap(address,address,int256,int256,uint160,uint128,int24)` of v3 pools. */
const V3_SWAP_TOPIC = "0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67";
/** Topic of `Initialize(uint160,int24)` of v3 pools. */
const V3_INITIALIZE_TOPIC = "0x98636036cb66a9c19a37435efc1e90142190214e8abeb821bdba3f2990dd4c95";

/** Topic of `Swap(bytes32,address,int128,int128,uint160,uint128,int24,uint24)` of the v4 pool manager. */
const V4_SWAP_TOPIC = "0x40e9cecb9f5f1f1c5b9c97dec2917b7ee92e57ba5563708daca94dd84ad7112f";
/**
 * Topics of `TokenExchange(address,int128,uint256,int128,uint256)` of StableSwap pools, and of
 * `TokenExchange(address,uint256,uint256,uint256,uint256)` of crypto pools, also with `uint256,uint256` at the end.
 */
const CURVE_EXCHANGE_TOPICS: readonly string[] = [
  "0x8b3e96f2b889fa771c53c981b40daf005f63f637f1869f707052d15a3dd97140",
  "0xb2e76ae99761dc136e598d4a629bb347eccb9532a5f8bbd72e18467c3c34cc98",
  "0x143f1f8e861fbdeddd5b46e844b7d3ac7b86a122f36e8c463859ee6811b1f29c",
];
/** Topics of `TokenExchangeUnderlying`, whose coins are those of another pool. */
const CURVE_UNDERLYING_TOPICS: readonly string[] = [
  "0xd013ca23e77a65003c2c659c5442c00c805371b7fc1ebd4c206c41d1536bd90b",
  "0xadf5c0d3bc909b7784721a34c8651ffa00123015ef32b9d69cf6d5b2bba40756",
];
/** Topic of `Swap(bytes32,address,address,uint256,uint256)` of the v2 vault. */
const BALANCER_V2_SWAP_TOPIC = "0x2170c741c41531aec20e7c107c24eecfdd15e69c9bb0a8dd37b1840b9e0b207b";
/** Topic of `Swap(address,address,address,uint256,uint256,uint256,uint256)` of the v3 vault. */
const BALANCER_V3_SWAP_TOPIC = "0x0874b2d545cb271cdbda4e093020c452328b24af12382ed62c4d00f5c26709db";

/** Topics of the events after which a pool has another price. */
export const PRICE_TOPICS: Readonly<Record<Exchange["kind"], readonly string[]>> = {
  v2: [V2_SYNC_TOPIC],
  v3: [V3_SWAP_TOPIC, V3_INITIALIZE_TOPIC],
  v4: [V4_SWAP_TOPIC, V4_INITIALIZE_TOPIC],
  curve: CURVE_EXCHANGE_TOPICS,
  "balancer-v2": [BALANCER_V2_SWAP_TOPIC],
  "balancer-v3": [BALANCER_V3_SWAP_TOPIC],
};

/** Topics of the events of trades between the tokens of a pool. */
export const SWAP_TOPICS: Readonly<Record<Exchange["kind"], readonly string[]>> = {
  ...PRICE_TOPICS,
  v2: [V2_SWAP_TOPIC],
  v3: [V3_SWAP_TOPIC],
  v4: [V4_SWAP_TOPIC],
};

/** Topics of all events of trades on exchanges. */
export const ALL_SWAP_TOPICS: readonly string[] = [
  ...Object.values(SWAP_TOPICS).flat(),
  ...CURVE_UNDERLYING_TOPICS,
];

/** Smaller amounts of a trade are rounded too much for a price. */
const MIN_TRADE_UNITS = 1_000n;

interface EventLog {
  topics: readonly string[];
  data: string;
}

type TradedPool = Pick<PoolReference, "exchange" | "tokens" | "indexes">;

/**
 * The price of a pool after one of the events of `PRICE_TOPICS`, in units of the second token per unit of the first;
 * undefined for other logs, for trades of other tokens of the pool, and for pools without a price. For Curve and
 * Balancer, it is the price that was paid, with the fee.
 */
export function priceAfter(log: EventLog, pool: TradedPool): Fraction | undefined {
  const { topics, data } = log;
  switch (topics[0]) {
    case V2_SYNC_TOPIC: {
      const [first, second] = [wordAt(data, 0), wordAt(data, 1)];
      return first && second ? { n: second, d: first } : undefined;
    }
    case V3_SWAP_TOPIC:
    case V4_SWAP_TOPIC:
      return positivePrice(wordAt(data, 2));
    case V3_INITIALIZE_TOPIC:
      return positivePrice(wordAt(data, 0));
    case V4_INITIALIZE_TOPIC:
      return positivePrice(wordAt(data, 3));
    default: {
      const [first = 0n, second = 0n] = tradedAmounts(log, pool) ?? [];
      const isEnough = first >= MIN_TRADE_UNITS && second >= MIN_TRADE_UNITS;
      return isEnough && !hasPriceEvents(pool) ? { n: second, d: first } : undefined;
    }
  }
}

/** Whether the events of the pool have its price, instead of the amounts of a trade only. */
function hasPriceEvents({ exchange: { kind } }: TradedPool): boolean {
  return kind === "v2" || kind === "v3" || kind === "v4";
}

/** The traded amounts of both tokens of a swap, without a sign; undefined for other logs. */
export function tradedAmounts(
  { topics, data }: EventLog,
  { exchange: { kind }, tokens, indexes = [0, 1] }: TradedPool,
): readonly [bigint, bigint] | undefined {
  const [topic = ""] = topics;
  const [a, b, c, d] = [0, 1, 2, 3].map((n) => wordAt(data, n));
  if (!SWAP_TOPICS[kind].includes(topic) || a === undefined || b === undefined) return undefined;
  switch (kind) {
    case "v2":
      if (c === undefined || d === undefined) return undefined;
      // Flash swaps can have both directions; the larger one is the trade.
      return [a > c ? a : c, b > d ? b : d];
    case "v3":
      return [magnitude(BigInt.asIntN(256, a)), magnitude(BigInt.asIntN(256, b))];
    case "v4":
      return [magnitude(BigInt.asIntN(128, a)), magnitude(BigInt.asIntN(128, b))];
    case "curve":
      // The number of the sold coin, its amount, the number of the bought one, its amount.
      return c === undefined || d === undefined ? undefined : inOrder([a, c], [b, d], indexes.map(BigInt));
    default: {
      const [, , sold = "", bought = ""] = topics;
      return inOrder([addressOf(sold), addressOf(bought)], [a, b], tokens);
    }
  }
}

/** The amounts in the order of the wanted tokens; undefined for a trade of others. */
function inOrder<Token>(
  [sold, bought]: readonly [Token, Token],
  [amountIn, amountOut]: readonly [bigint, bigint],
  [first, second]: readonly Token[],
): readonly [bigint, bigint] | undefined {
  if (sold === first && bought === second) return [amountIn, amountOut];
  return sold === second && bought === first ? [amountOut, amountIn] : undefined;
}

function positivePrice(sqrtPrice: bigint | undefined): Fraction | undefined {
  return sqrtPrice ? squarePrice(sqrtPrice) : undefined;
}

function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value;
}

import type { Exchange } from "../model/chainConfig.ts";
import { findBalancerPools, readBalancerPools, readBalancerTokens } from "./exchanges/balancer.ts";
import { findCurvePools, readCurveCoins, readCurvePools } from "./exchanges/curve.ts";
import { findUniswapPools, readPairTokens, readUniswapPools } from "./exchanges/uniswap.ts";
import { findV4PoolById, findV4Pools, readV4Pools } from "./exchanges/uniswapV4.ts";
import {
  type Pair,
  type Pool,
  type PoolContext,
  type PoolLookup,
  type PoolReference,
  type PoolState,
  pairOf,
} from "./pool.ts";

/** How the pools of exchanges are found and read. */
interface PoolReader {
  find(context: PoolContext, lookups: readonly PoolLookup[]): Promise<PoolReference[]>;
  /** In the order of the references; undefined for pools without a price or without liquidity. */
  read(context: PoolContext, references: readonly PoolReference[]): Promise<(PoolState | undefined)[]>;
}

const UNISWAP: PoolReader = { find: findUniswapPools, read: readUniswapPools };
const BALANCER: PoolReader = { find: findBalancerPools, read: readBalancerPools };
const READERS: Readonly<Record<Exchange["kind"], PoolReader>> = {
  v2: UNISWAP,
  v3: UNISWAP,
  v4: { find: findV4Pools, read: readV4Pools },
  curve: { find: findCurvePools, read: readCurvePools },
  "balancer-v2": BALANCER,
  "balancer-v3": BALANCER,
};

/** Finds the pools of token pairs on exchanges. */
export async function findPools(
  context: PoolContext,
  exchanges: readonly Exchange[],
  pairs: readonly Pair[],
): Promise<PoolReference[]> {
  const lookups = exchanges.flatMap((exchange) => pairs.map((tokens) => ({ exchange, tokens })));
  const groups = Map.groupBy(lookups, ({ exchange }) => READERS[exchange.kind]);
  const found = await Promise.all([...groups].map(([reader, group]) => reader.find(context, group)));
  return found.flat();
}

/** Reads pools; those without a price or without liquidity are omitted. */
export async function readPools(context: PoolContext, references: readonly PoolReference[]): Promise<Pool[]> {
  const groups = Map.groupBy(references, ({ exchange }) => READERS[exchange.kind]);
  const states = new Map<PoolReference, PoolState>();
  await Promise.all(
    [...groups].map(async ([reader, group]) => {
      for (const [i, state] of (await reader.read(context, group)).entries()) {
        const reference = group[i];
        if (reference && state) states.set(reference, state);
      }
    }),
  );
  return references.flatMap((reference) => {
    const state = states.get(reference);
    return state ? [{ ...reference, ...state }] : [];
  });
}

/**
 * Finds a pool of exchanges by its contract, or by its id where one contract holds the tokens of all pools. Pools of
 * more than two tokens are returned once for each pair; the list is empty if there is no pool.
 */
export async function findPoolsById(
  context: PoolContext,
  exchanges: readonly Exchange[],
  id: string,
): Promise<PoolReference[]> {
  const found = await Promise.all([
    ...exchanges.map((exchange) => findOnExchange(context, exchange, id)),
    findUniswapPair(context, exchanges, id),
  ]);
  return found.flat();
}

async function findUniswapPair(context: PoolContext, exchanges: readonly Exchange[], address: string) {
  const factories = exchanges.filter(({ kind }) => READERS[kind] === UNISWAP);
  const isAddress = address.length === ADDRESS_LENGTH;
  const tokens =
    isAddress && factories.length > 0 && (await readPairTokens(context.node, address, context.block));
  if (!tokens) return [];
  const pools = await findPools(context, factories, [pairOf(...tokens)]);
  return pools.filter((each) => each.address === address);
}

async function findOnExchange(
  context: PoolContext,
  exchange: Exchange,
  id: string,
): Promise<PoolReference[]> {
  const isAddress = id.length === ADDRESS_LENGTH;
  switch (exchange.kind) {
    case "v4": {
      const pool = isAddress ? undefined : await findV4PoolById(context, exchange, id);
      return pool ? [pool] : [];
    }
    case "curve": {
      const coins = isAddress ? (await readCurveCoins(context, [id])).get(id) : undefined;
      const pools = coins ? await findCurvePools(context, lookupsOf(exchange, coins)) : [];
      return pools.filter((each) => each.address === id);
    }
    case "balancer-v2":
    case "balancer-v3": {
      if (isAddress !== (exchange.kind === "balancer-v3")) return [];
      const tokens = await readBalancerTokens(context, exchange, id);
      return lookupsOf(exchange, tokens ?? []).map((lookup) => ({ ...lookup, address: id }));
    }
    default:
      return [];
  }
}

const ADDRESS_LENGTH = 42;

function lookupsOf(exchange: Exchange, tokens: readonly string[]): PoolLookup[] {
  return tokens.flatMap((first, i) =>
    tokens.slice(i + 1).map((second) => ({ exchange, tokens: [first, second] })),
  );
}

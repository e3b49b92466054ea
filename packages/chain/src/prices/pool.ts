import type { Exchange } from "../model/chainConfig.ts";
import { addressTopic } from "../model/topics.ts";
import type { ChainNode } from "../node/chainNode.ts";
import type { LogSource, PoolLogs } from "../store/poolLogs.ts";
import type { Fraction } from "./fraction.ts";

/** Two tokens of a pool in the pool's order. */
export type Pair = readonly [string, string];

export interface PoolReference {
  exchange: Exchange;
  /** The contract of the pool, or its id (32 bytes) where one contract holds the tokens of all pools. */
  address: string;
  /** The native coin is given by the contract of the wrapped coin. */
  tokens: Pair;
  /** Numbers of the tokens in a Curve pool. */
  indexes?: readonly [number, number];
  /** Of a v4 pool. */
  tickSpacing?: number;
}

/** State of a pool at one block. */
export interface PoolState {
  /** Price of a unit of the first token in units of the second. */
  price: Fraction;
  /**
   * Amounts behind the price, in the tokens' smallest units. For v3 and v4 pools, the amounts that are active near the
   * price, in v3 up to the pool's balance.
   */
  depth: readonly [bigint, bigint];
}

export interface Pool extends PoolReference, PoolState {}

/** What pools are read from. */
export interface PoolContext {
  node: ChainNode;
  /** The indexed logs of pools. */
  logs: PoolLogs;
  /** The contract of the wrapped native coin. */
  coin: string | undefined;
  block: number;
}

/** A pair to find on an exchange. */
export interface PoolLookup {
  exchange: Exchange;
  tokens: Pair;
}

/** Orders two tokens as Uniswap's pools do. */
export function pairOf(a: string, b: string): Pair {
  return a < b ? [a, b] : [b, a];
}

/** Logs of a pool with one of the topics. */
export function logSourceOf({ exchange, address }: PoolReference, topics: readonly string[]): LogSource {
  switch (exchange.kind) {
    case "v2":
    case "v3":
      return { address, topics };
    case "curve":
      return { address, topics, candidates: MULTI_TOKEN_CANDIDATES };
    case "v4":
      return { address: exchange.factory, topics, topic1: address };
    case "balancer-v2":
      return { address: exchange.factory, topics, topic1: address, candidates: MULTI_TOKEN_CANDIDATES };
    case "balancer-v3":
      return {
        address: exchange.factory,
        topics,
        topic1: addressTopic(address),
        candidates: MULTI_TOKEN_CANDIDATES,
      };
  }
}

/** Latest trades of a pool in which one of a certain pair is searched. */
const MULTI_TOKEN_CANDIDATES = 50;

import { encodeFunctionData, isAddress, parseAbi } from "viem";
import type { Exchange } from "../model/chainConfig.ts";
import type { ChainNode } from "../node/chainNode.ts";
import { readTogether } from "../node/multicall.ts";
import type { Fraction } from "./fraction.ts";
import { UNISWAP_FEE_TIERS } from "./knownMarkets.ts";

const abi = parseAbi([
  "function getPair(address, address)",
  "function getPool(address, address, uint24)",
  "function getReserves()",
  "function slot0()",
  "function liquidity()",
  "function token0()",
  "function token1()",
  "function balanceOf(address)",
]);

/** sqrtPriceX96 is a fixed-point number with 96 binary digits behind the point. */
const Q96 = 2n ** 96n;
/** Two tokens, in the order that pools have them: by address. */
export type Pair = readonly [string, string];

export interface PoolPlace {
  exchange: Exchange;
  address: string;
  tokens: Pair;
}

/** A pool as it is at one block. */
export interface Pool extends PoolPlace {
  /** What a unit of the first token costs in units of the second. */
  price: Fraction;
  /**
   * How much of each token stands behind the price, in its smallest unit. Of pools of the third version: as much as is
   * in use at the price, and no more than the pool has.
   */
  depth: readonly [bigint, bigint];
}

type Call = { to: string; data: string };

/** Two tokens in the order that pools have them. */
export function pairOf(a: string, b: string): Pair {
  return a < b ? [a, b] : [b, a];
}

/** The pools that the exchanges have for some pairs of tokens. */
export async function findPools(
  node: ChainNode,
  exchanges: readonly Exchange[],
  pairs: readonly Pair[],
  block: number,
): Promise<PoolPlace[]> {
  const asked = exchanges.flatMap((exchange) =>
    pairs.flatMap((tokens) => poolCalls(exchange, tokens).map((call) => ({ exchange, tokens, call }))),
  );
  const answers = await readTogether(
    node,
    asked.map(({ call }) => call),
    block,
  );
  return asked.flatMap(({ exchange, tokens }, i) => {
    const address = addressIn(answers[i], 0);
    return address ? [{ exchange, tokens, address }] : [];
  });
}

/** Those of the pools that are in use: with a price and with tokens of both kinds. */
export async function readPools(
  node: ChainNode,
  places: readonly PoolPlace[],
  block: number,
): Promise<Pool[]> {
  const calls = places.map(stateCalls);
  const answers = await readTogether(node, calls.flat(), block);
  let at = 0;
  return places.flatMap((place, i) => {
    const own = answers.slice(at, at + (calls[i]?.length ?? 0));
    at += own.length;
    const state = place.exchange.kind === "v2" ? v2State(own) : v3State(own);
    return state ? [{ ...place, ...state }] : [];
  });
}

/** What a pair's contract holds of its tokens; undefined where the address is that of no pair. */
export async function readReserves(
  node: ChainNode,
  address: string,
  block: number,
): Promise<readonly [bigint, bigint] | undefined> {
  const [reserves, root, first, second] = await readTogether(
    node,
    [
      call(address, encodeFunctionData({ abi, functionName: "getReserves" })),
      call(address, encodeFunctionData({ abi, functionName: "slot0" })),
      call(address, encodeFunctionData({ abi, functionName: "token0" })),
      call(address, encodeFunctionData({ abi, functionName: "token1" })),
    ],
    block,
  );
  const [token0, token1] = [addressIn(first, 0), addressIn(second, 0)];
  if (!token0 || !token1) return undefined;
  const [reserve0, reserve1] = [wordIn(reserves, 0), wordIn(reserves, 1)];
  if (reserve0 !== undefined && reserve1 !== undefined) return [reserve0, reserve1];
  if (wordIn(root, 0) === undefined) return undefined;
  const balances = await readTogether(
    node,
    [balanceCall(token0, address), balanceCall(token1, address)],
    block,
  );
  const [balance0, balance1] = [wordIn(balances[0], 0), wordIn(balances[1], 0)];
  return balance0 === undefined || balance1 === undefined ? undefined : [balance0, balance1];
}

function poolCalls({ kind, factory, feeTiers = UNISWAP_FEE_TIERS }: Exchange, [a, b]: Pair): Call[] {
  const [first, second] = [hexOf(a), hexOf(b)];
  if (kind === "v2")
    return [call(factory, encodeFunctionData({ abi, functionName: "getPair", args: [first, second] }))];
  return feeTiers.map((fee) =>
    call(factory, encodeFunctionData({ abi, functionName: "getPool", args: [first, second, fee] })),
  );
}

function stateCalls({ exchange, address, tokens }: PoolPlace): Call[] {
  if (exchange.kind === "v2")
    return [call(address, encodeFunctionData({ abi, functionName: "getReserves" }))];
  return [
    call(address, encodeFunctionData({ abi, functionName: "slot0" })),
    call(address, encodeFunctionData({ abi, functionName: "liquidity" })),
    ...tokens.map((token) => balanceCall(token, address)),
  ];
}

function v2State([reserves]: (string | undefined)[]): Pick<Pool, "price" | "depth"> | undefined {
  const [first, second] = [wordIn(reserves, 0), wordIn(reserves, 1)];
  if (!first || !second) return undefined;
  return { price: { n: second, d: first }, depth: [first, second] };
}

function v3State(answers: (string | undefined)[]): Pick<Pool, "price" | "depth"> | undefined {
  const [root, liquidity, first, second] = answers.map((answer) => wordIn(answer, 0));
  if (!root || !liquidity || !first || !second) return undefined;
  return {
    price: { n: root * root, d: Q96 * Q96 },
    depth: [least((liquidity * Q96) / root, first), least((liquidity * root) / Q96, second)],
  };
}

function balanceCall(token: string, owner: string): Call {
  return call(token, encodeFunctionData({ abi, functionName: "balanceOf", args: [hexOf(owner)] }));
}

function call(to: string, data: string): Call {
  return { to, data };
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

/** The n-th 32 bytes of an answer; undefined where it is shorter. */
function wordIn(answer: string | undefined, n: number): bigint | undefined {
  const word = answer?.slice(2 + n * 64, 66 + n * 64) ?? "";
  return /^[0-9a-f]{64}$/i.test(word) ? BigInt(`0x${word}`) : undefined;
}

/** The address in the n-th 32 bytes; undefined where there is none, or it is zero. */
function addressIn(answer: string | undefined, n: number): string | undefined {
  const word = wordIn(answer, n);
  if (!word || word >= 2n ** 160n) return undefined;
  const address = `0x${word.toString(16).padStart(40, "0")}`;
  return isAddress(address, { strict: false }) ? address : undefined;
}

function hexOf(address: string): `0x${string}` {
  return `0x${address.slice(2)}`;
}

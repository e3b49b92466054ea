import { encodeFunctionData, isAddress, parseAbi } from "viem";
import type { Exchange } from "../model/chainConfig.ts";
import type { ChainNode } from "../node/chainNode.ts";
import { multicall } from "../node/multicall.ts";
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

/** sqrtPriceX96 is a fixed-point number with 96 fractional bits. */
const Q96 = 2n ** 96n;
/** Two tokens, ordered by address as in pools. */
export type Pair = readonly [string, string];

export interface PoolReference {
  exchange: Exchange;
  address: string;
  tokens: Pair;
}

/** State of a pool at one block. */
export interface Pool extends PoolReference {
  /** Price of a unit of the first token in units of the second. */
  price: Fraction;
  /**
   * Amounts behind the price, in the tokens' smallest units. For v3 pools, the amounts that are active at the price,
   * up to the pool's balance.
   */
  depth: readonly [bigint, bigint];
}

type Call = { to: string; data: string };

/** Orders two tokens as pools do. */
export function pairOf(a: string, b: string): Pair {
  return a < b ? [a, b] : [b, a];
}

/** Finds the pools of token pairs on exchanges. */
export async function findPools(
  node: ChainNode,
  exchanges: readonly Exchange[],
  pairs: readonly Pair[],
  block: number,
): Promise<PoolReference[]> {
  const lookups = exchanges.flatMap((exchange) =>
    pairs.flatMap((tokens) => poolCalls(exchange, tokens).map((call) => ({ exchange, tokens, call }))),
  );
  const answers = await multicall(
    node,
    lookups.map(({ call }) => call),
    block,
  );
  return lookups.flatMap(({ exchange, tokens }, i) => {
    const address = addressAt(answers[i], 0);
    return address ? [{ exchange, tokens, address }] : [];
  });
}

/** Reads pools; those without a price or without liquidity are omitted. */
export async function readPools(
  node: ChainNode,
  references: readonly PoolReference[],
  block: number,
): Promise<Pool[]> {
  const calls = references.map(stateCalls);
  const answers = await multicall(node, calls.flat(), block);
  let offset = 0;
  return references.flatMap((reference, i) => {
    const results = answers.slice(offset, offset + (calls[i]?.length ?? 0));
    offset += results.length;
    const state = reference.exchange.kind === "v2" ? v2State(results) : v3State(results);
    return state ? [{ ...reference, ...state }] : [];
  });
}

/** Reads the reserves of a pair; undefined if the address is not a pair. */
export async function readReserves(
  node: ChainNode,
  address: string,
  block: number,
): Promise<readonly [bigint, bigint] | undefined> {
  const [reserves, sqrtPrice, first, second] = await multicall(
    node,
    [
      call(address, encodeFunctionData({ abi, functionName: "getReserves" })),
      call(address, encodeFunctionData({ abi, functionName: "slot0" })),
      call(address, encodeFunctionData({ abi, functionName: "token0" })),
      call(address, encodeFunctionData({ abi, functionName: "token1" })),
    ],
    block,
  );
  const [token0, token1] = [addressAt(first, 0), addressAt(second, 0)];
  if (!token0 || !token1) return undefined;
  const [reserve0, reserve1] = [wordAt(reserves, 0), wordAt(reserves, 1)];
  if (reserve0 !== undefined && reserve1 !== undefined) return [reserve0, reserve1];
  if (wordAt(sqrtPrice, 0) === undefined) return undefined;
  const balances = await multicall(node, [balanceCall(token0, address), balanceCall(token1, address)], block);
  const [balance0, balance1] = [wordAt(balances[0], 0), wordAt(balances[1], 0)];
  return balance0 === undefined || balance1 === undefined ? undefined : [balance0, balance1];
}

function poolCalls({ kind, factory, feeTiers = UNISWAP_FEE_TIERS }: Exchange, [a, b]: Pair): Call[] {
  const [first, second] = [asHex(a), asHex(b)];
  if (kind === "v2")
    return [call(factory, encodeFunctionData({ abi, functionName: "getPair", args: [first, second] }))];
  return feeTiers.map((fee) =>
    call(factory, encodeFunctionData({ abi, functionName: "getPool", args: [first, second, fee] })),
  );
}

function stateCalls({ exchange, address, tokens }: PoolReference): Call[] {
  if (exchange.kind === "v2")
    return [call(address, encodeFunctionData({ abi, functionName: "getReserves" }))];
  return [
    call(address, encodeFunctionData({ abi, functionName: "slot0" })),
    call(address, encodeFunctionData({ abi, functionName: "liquidity" })),
    ...tokens.map((token) => balanceCall(token, address)),
  ];
}

function v2State([reserves]: (string | undefined)[]): Pick<Pool, "price" | "depth"> | undefined {
  const [first, second] = [wordAt(reserves, 0), wordAt(reserves, 1)];
  if (!first || !second) return undefined;
  return { price: { n: second, d: first }, depth: [first, second] };
}

function v3State(answers: (string | undefined)[]): Pick<Pool, "price" | "depth"> | undefined {
  const [sqrtPrice, liquidity, first, second] = answers.map((answer) => wordAt(answer, 0));
  if (!sqrtPrice || !liquidity || !first || !second) return undefined;
  return {
    price: { n: sqrtPrice * sqrtPrice, d: Q96 * Q96 },
    depth: [min((liquidity * Q96) / sqrtPrice, first), min((liquidity * sqrtPrice) / Q96, second)],
  };
}

function balanceCall(token: string, owner: string): Call {
  return call(token, encodeFunctionData({ abi, functionName: "balanceOf", args: [asHex(owner)] }));
}

function call(to: string, data: string): Call {
  return { to, data };
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

/** The n-th 32-byte word of a result; undefined if it is shorter. */
function wordAt(answer: string | undefined, n: number): bigint | undefined {
  const word = answer?.slice(2 + n * 64, 66 + n * 64) ?? "";
  return /^[0-9a-f]{64}$/i.test(word) ? BigInt(`0x${word}`) : undefined;
}

/** The address in the n-th word; undefined if it is invalid or zero. */
function addressAt(answer: string | undefined, n: number): string | undefined {
  const word = wordAt(answer, n);
  if (!word || word >= 2n ** 160n) return undefined;
  const address = `0x${word.toString(16).padStart(40, "0")}`;
  return isAddress(address, { strict: false }) ? address : undefined;
}

function asHex(address: string): `0x${string}` {
  return `0x${address.slice(2)}`;
}

import { encodeFunctionData, parseAbi } from "viem";
import { wordAt } from "../../abi/words.ts";
import type { Exchange } from "../../model/chainConfig.ts";
import { asHex } from "../../model/hexBytes.ts";
import type { ChainNode } from "../../node/chainNode.ts";
import { multicall } from "../../node/multicall.ts";
import { Q96, squarePrice } from "../fraction.ts";
import type { Pair, PoolContext, PoolLookup, PoolReference, PoolState } from "../pool.ts";
import { addressAt, type ContractCall, splitResults } from "./contractCalls.ts";

/** Fee tiers of Uniswap v3 and v4, in millionths. */
export const UNISWAP_FEE_TIERS = [100, 500, 3_000, 10_000];

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

/** Finds pools by the factories of Uniswap v2 and v3, and of their forks. */
export async function findUniswapPools(
  { node, block }: PoolContext,
  lookups: readonly PoolLookup[],
): Promise<PoolReference[]> {
  const calls = lookups.flatMap(({ exchange, tokens }) =>
    poolCalls(exchange, tokens).map((call) => ({ exchange, tokens, call })),
  );
  const answers = await multicall(
    node,
    calls.map(({ call }) => call),
    block,
  );
  return calls.flatMap(({ exchange, tokens }, i) => {
    const address = addressAt(answers[i], 0);
    return address ? [{ exchange, tokens, address }] : [];
  });
}

/** Reads the states of pools of Uniswap v2 and v3; undefined for those without a price or without liquidity. */
export async function readUniswapPools(
  { node, block }: PoolContext,
  references: readonly PoolReference[],
): Promise<(PoolState | undefined)[]> {
  const calls = references.map(stateCalls);
  const answers = splitResults(await multicall(node, calls.flat(), block), calls);
  return references.map(({ exchange }, i) => {
    const results = answers[i] ?? [];
    return exchange.kind === "v2" ? v2State(results) : v3State(results);
  });
}

/** Reads the tokens of a pair; undefined if the address is not a pair. */
export async function readPairTokens(
  node: ChainNode,
  address: string,
  block: number,
): Promise<Pair | undefined> {
  const [first, second] = await multicall(
    node,
    (["token0", "token1"] as const).map((functionName) =>
      call(address, encodeFunctionData({ abi, functionName })),
    ),
    block,
  );
  const [token0, token1] = [addressAt(first, 0), addressAt(second, 0)];
  return token0 && token1 ? [token0, token1] : undefined;
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

function poolCalls({ kind, factory, feeTiers = UNISWAP_FEE_TIERS }: Exchange, [a, b]: Pair): ContractCall[] {
  const [first, second] = [asHex(a), asHex(b)];
  if (kind === "v2")
    return [call(factory, encodeFunctionData({ abi, functionName: "getPair", args: [first, second] }))];
  return feeTiers.map((fee) =>
    call(factory, encodeFunctionData({ abi, functionName: "getPool", args: [first, second, fee] })),
  );
}

function stateCalls({ exchange, address, tokens }: PoolReference): ContractCall[] {
  if (exchange.kind === "v2")
    return [call(address, encodeFunctionData({ abi, functionName: "getReserves" }))];
  return [
    call(address, encodeFunctionData({ abi, functionName: "slot0" })),
    call(address, encodeFunctionData({ abi, functionName: "liquidity" })),
    ...tokens.map((token) => balanceCall(token, address)),
  ];
}

function v2State([reserves]: (string | undefined)[]): PoolState | undefined {
  const [first, second] = [wordAt(reserves, 0), wordAt(reserves, 1)];
  if (!first || !second) return undefined;
  return { price: { n: second, d: first }, depth: [first, second] };
}

function v3State(answers: (string | undefined)[]): PoolState | undefined {
  const [sqrtPrice, liquidity, first, second] = answers.map((answer) => wordAt(answer, 0));
  if (!sqrtPrice || !liquidity || !first || !second) return undefined;
  return {
    price: squarePrice(sqrtPrice),
    depth: [min((liquidity * Q96) / sqrtPrice, first), min((liquidity * sqrtPrice) / Q96, second)],
  };
}

function balanceCall(token: string, owner: string): ContractCall {
  return call(token, encodeFunctionData({ abi, functionName: "balanceOf", args: [asHex(owner)] }));
}

function call(to: string, data: string): ContractCall {
  return { to, data };
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

import { encodeFunctionData, parseAbi } from "viem";
import { wordAt } from "../../abi/words.ts";
import type { Exchange } from "../../model/chainConfig.ts";
import { asHex } from "../../model/hexBytes.ts";
import { multicall } from "../../node/multicall.ts";
import { middlePrice } from "../fraction.ts";
import type { Pair, PoolContext, PoolLookup, PoolReference, PoolState } from "../pool.ts";
import { addressAt, type ContractCall, splitResults } from "./contractCalls.ts";

/** How Curve's pools mark the native coin. */
const NATIVE = "0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee";
/** Pools of a pair that are looked up in a registry. */
const MAX_POOLS = 4;
/** Coins of a pool that are read. */
const MAX_COINS = 8;
/** The price is that of a trade of this part of a pool's balance, in both directions. */
const TRADE_PART = 10_000n;

const registryAbi = parseAbi([
  "function find_pool_for_coins(address, address, uint256) view returns (address)",
]);
const coinsAbi = parseAbi(["function coins(uint256) view returns (address)"]);
const balancesAbi = parseAbi(["function balances(uint256) view returns (uint256)"]);
/** Of the pools before 2020-09, which number coins by int128. */
const oldCoinsAbi = parseAbi(["function coins(int128) view returns (address)"]);
const oldBalancesAbi = parseAbi(["function balances(int128) view returns (uint256)"]);
/** StableSwap pools number the coins of a trade by int128, crypto pools by uint256. */
const stableAbi = parseAbi(["function get_dy(int128, int128, uint256) view returns (uint256)"]);
const cryptoAbi = parseAbi(["function get_dy(uint256, uint256, uint256) view returns (uint256)"]);

/**
 * Finds pools by a registry, which can be a meta registry or the factory of a fork, and among the configured ones. A
 * registry also finds pools that trade a coin within another pool only; those are omitted.
 */
export async function findCurvePools(
  context: PoolContext,
  lookups: readonly PoolLookup[],
): Promise<PoolReference[]> {
  const { node, coin, block } = context;
  const calls = lookups.flatMap((lookup) =>
    coinPairs(lookup.tokens, coin).flatMap((pair) =>
      Array.from({ length: MAX_POOLS }, (_, n) => ({
        lookup,
        call: registryCall(lookup.exchange, pair, n),
      })),
    ),
  );
  const answers = await multicall(
    node,
    calls.map(({ call }) => call),
    block,
  );
  const candidates = new Map<PoolLookup, Set<string>>(
    lookups.map((lookup) => [lookup, new Set(lookup.exchange.pools)]),
  );
  for (const [i, { lookup }] of calls.entries()) {
    const address = addressAt(answers[i], 0);
    if (address) candidates.get(lookup)?.add(address);
  }
  const addresses = [...new Set([...candidates.values()].flatMap((each) => [...each]))];
  const coins = await readCurveCoins(context, addresses);
  return [...candidates].flatMap(([{ exchange, tokens }, pools]) =>
    [...pools].flatMap((address) => {
      const [first, second] = tokens.map((token) => coins.get(address)?.indexOf(token) ?? -1);
      if (first === undefined || second === undefined || first < 0 || second < 0) return [];
      return [{ exchange, address, tokens, indexes: [first, second] as const }];
    }),
  );
}

/** The coins of pools in their order; the native coin is given by the contract of the wrapped coin. */
export async function readCurveCoins(
  { node, coin, block }: PoolContext,
  pools: readonly string[],
): Promise<Map<string, string[]>> {
  const numbers = Array.from({ length: MAX_COINS }, (_, n) => BigInt(n));
  const calls = pools.map((to) =>
    numbers.flatMap((n): ContractCall[] => [
      { to, data: encodeFunctionData({ abi: coinsAbi, args: [n] }) },
      { to, data: encodeFunctionData({ abi: oldCoinsAbi, args: [n] }) },
    ]),
  );
  const answers = splitResults(await multicall(node, calls.flat(), block), calls);
  return new Map(
    pools.map((pool, i) => {
      const found = numbers.map(
        (_, n) => addressAt(answers[i]?.[2 * n], 0) ?? addressAt(answers[i]?.[2 * n + 1], 0),
      );
      const end = found.indexOf(undefined);
      const coins = found.slice(0, end < 0 ? undefined : end).filter((each) => each !== undefined);
      return [pool, coins.map((each) => (each === NATIVE && coin !== undefined ? coin : each))];
    }),
  );
}

/**
 * Reads the states of pools; undefined for those without balances. The price is the geometric mean of those of a small
 * trade in both directions, in which the fees cancel out.
 */
export async function readCurvePools(
  { node, block }: PoolContext,
  references: readonly PoolReference[],
): Promise<(PoolState | undefined)[]> {
  const indexes = references.map(
    ({ indexes: [first, second] = [0, 1] }) => [BigInt(first), BigInt(second)] as const,
  );
  const balanceCalls = references.map(({ address: to }, i) =>
    (indexes[i] ?? []).flatMap((index): ContractCall[] => [
      { to, data: encodeFunctionData({ abi: balancesAbi, args: [index] }) },
      { to, data: encodeFunctionData({ abi: oldBalancesAbi, args: [index] }) },
    ]),
  );
  const balanceAnswers = splitResults(await multicall(node, balanceCalls.flat(), block), balanceCalls);
  const depths = balanceAnswers.map(
    ([first, oldFirst, second, oldSecond]) =>
      [
        wordAt(first, 0) ?? wordAt(oldFirst, 0) ?? 0n,
        wordAt(second, 0) ?? wordAt(oldSecond, 0) ?? 0n,
      ] as const,
  );
  const amounts = depths.map(([first, second]) => [tradeAmount(first), tradeAmount(second)] as const);
  const tradeCalls = references.map(({ address: to }, n): ContractCall[] => {
    const [i = 0n, j = 1n] = indexes[n] ?? [];
    const [first = 1n, second = 1n] = amounts[n] ?? [];
    return [stableAbi, cryptoAbi].flatMap((abi) => [
      { to, data: encodeFunctionData({ abi, args: [i, j, first] }) },
      { to, data: encodeFunctionData({ abi, args: [j, i, second] }) },
    ]);
  });
  const tradeAnswers = splitResults(await multicall(node, tradeCalls.flat(), block), tradeCalls);
  return references.map((_, n) => {
    const [depth, amount] = [depths[n], amounts[n]];
    const [stable, stableBack, crypto, cryptoBack] = (tradeAnswers[n] ?? []).map((answer) =>
      wordAt(answer, 0),
    );
    const [out, back] = [stable ?? crypto, stableBack ?? cryptoBack];
    if (!depth || !amount || !depth[0] || !depth[1] || !out || !back) return undefined;
    return { price: middlePrice({ n: out, d: amount[0] }, { n: amount[1], d: back }), depth };
  });
}

function tradeAmount(balance: bigint): bigint {
  return balance > TRADE_PART ? balance / TRADE_PART : 1n;
}

/** The pair as pools can have it: with the wrapped or with the native coin. */
function coinPairs([a, b]: Pair, coin: string | undefined): Pair[] {
  const pairs: Pair[] = [[a, b]];
  if (a === coin) pairs.push([NATIVE, b]);
  if (b === coin) pairs.push([a, NATIVE]);
  return pairs;
}

function registryCall({ factory }: Exchange, [a, b]: Pair, n: number): ContractCall {
  const args = [asHex(a), asHex(b), BigInt(n)] as const;
  return { to: factory, data: encodeFunctionData({ abi: registryAbi, args }) };
}

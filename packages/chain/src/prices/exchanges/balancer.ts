import { encodeFunctionData, parseAbi } from "viem";
import type { Exchange } from "../../model/chainConfig.ts";
import { asHex } from "../../model/hexBytes.ts";
import { multicall } from "../../node/multicall.ts";
import type { PoolContext, PoolLookup, PoolReference, PoolState } from "../pool.ts";
import { logSourceOf } from "../pool.ts";
import { priceAfter, SWAP_TOPICS } from "../poolEvents.ts";
import { addressOfWord, arrayAt, type ContractCall, splitResults } from "./contractCalls.ts";

const v2Abi = parseAbi([
  "function getPoolTokens(bytes32 poolId) view returns (address[], uint256[], uint256)",
]);
const v3Abi = parseAbi([
  "function getPoolTokenInfo(address pool) view returns (address[], (uint8, address, bool)[], uint256[], uint256[])",
]);
const weightsAbi = parseAbi(["function getNormalizedWeights() view returns (uint256[])"]);

/** Tokens of a pool that are read; more than Balancer allows. */
const MAX_TOKENS = 64;

/** A registered pool with its tokens. */
interface Contents {
  tokens: string[];
  /** In the tokens' smallest units. */
  balances: bigint[];
}

/**
 * Finds pools of the vault among the configured ones, because anyone can register a pool that rejects trades at the
 * price that it reports.
 */
export async function findBalancerPools(
  context: PoolContext,
  lookups: readonly PoolLookup[],
): Promise<PoolReference[]> {
  const exchanges = [...new Set(lookups.map(({ exchange }) => exchange))];
  const pools = await Promise.all(
    exchanges.map((exchange) => readContents(context, exchange, exchange.pools ?? [])),
  );
  return lookups.flatMap(({ exchange, tokens }) => {
    const registered = pools[exchanges.indexOf(exchange)] ?? new Map<string, Contents>();
    return [...registered].flatMap(([address, contents]) =>
      tokens.every((token) => contents.tokens.includes(token)) ? [{ exchange, address, tokens }] : [],
    );
  });
}

/** The tokens of a pool of the vault; undefined if it is not registered. */
export async function readBalancerTokens(
  context: PoolContext,
  exchange: Exchange,
  pool: string,
): Promise<string[] | undefined> {
  return (await readContents(context, exchange, [pool])).get(pool)?.tokens;
}

/**
 * Reads the states of pools; undefined for those without a price. The price of a weighted pool follows from its
 * balances and weights; that of other pools is the price of the last indexed trade.
 */
export async function readBalancerPools(
  context: PoolContext,
  references: readonly PoolReference[],
): Promise<(PoolState | undefined)[]> {
  const { node, logs, block } = context;
  const exchanges = [...new Set(references.map(({ exchange }) => exchange))];
  const contents = await Promise.all(
    exchanges.map((exchange) =>
      readContents(
        context,
        exchange,
        references.filter((each) => each.exchange === exchange).map(({ address }) => address),
      ),
    ),
  );
  const [weights, trades] = await Promise.all([
    multicall(
      node,
      references.map(({ address }): ContractCall => {
        // The id of a v2 pool begins with its address.
        return { to: address.slice(0, 42), data: encodeFunctionData({ abi: weightsAbi }) };
      }),
      block,
    ),
    logs.latestBefore(
      references.map((reference) => logSourceOf(reference, SWAP_TOPICS[reference.exchange.kind])),
      block + 1,
    ),
  ]);
  return references.map((reference, i) => {
    const pool = contents[exchanges.indexOf(reference.exchange)]?.get(reference.address);
    const [first, second] = reference.tokens.map((token) => pool?.tokens.indexOf(token) ?? -1);
    if (!pool || first === undefined || second === undefined) return undefined;
    const depth = [pool.balances[first] ?? 0n, pool.balances[second] ?? 0n] as const;
    if (depth[0] === 0n || depth[1] === 0n) return undefined;
    const shares = arrayAt(weights[i], 0, MAX_TOKENS);
    const [share, otherShare] = [shares?.[first], shares?.[second]];
    if (share && otherShare) return { price: { n: depth[1] * share, d: depth[0] * otherShare }, depth };
    const price = (trades[i] ?? [])
      .map((log) => priceAfter(log, reference))
      .find((each) => each !== undefined);
    return price && { price, depth };
  });
}

/** What pools of one vault contain, without those that are not registered. */
async function readContents(
  { node, block }: PoolContext,
  exchange: Exchange,
  pools: readonly string[],
): Promise<Map<string, Contents>> {
  const unique = [...new Set(pools)];
  const calls = unique.map((pool) => [contentsCall(exchange, pool)]);
  const answers = splitResults(await multicall(node, calls.flat(), block), calls);
  return new Map(
    unique.flatMap((pool, i) => {
      const [answer] = answers[i] ?? [];
      const tokens = arrayAt(answer, 0, MAX_TOKENS)?.map(addressOfWord);
      const balances = arrayAt(answer, exchange.kind === "balancer-v2" ? 1 : 2, MAX_TOKENS);
      return tokens && balances && tokens.length === balances.length && tokens.length > 0
        ? [[pool, { tokens, balances }] as const]
        : [];
    }),
  );
}

function contentsCall({ kind, factory }: Exchange, pool: string): ContractCall {
  const data =
    kind === "balancer-v2"
      ? encodeFunctionData({ abi: v2Abi, args: [asHex(pool)] })
      : encodeFunctionData({ abi: v3Abi, args: [asHex(pool)] });
  return { to: factory, data };
}

import { encodeAbiParameters, encodeFunctionData, keccak256, parseAbi, parseAbiParameters } from "viem";
import { wordAt } from "../../abi/words.ts";
import type { Exchange } from "../../model/chainConfig.ts";
import { asHex } from "../../model/hexBytes.ts";
import { NULL_ADDRESS } from "../../model/rows.ts";
import { addressOf, isAddressTopic } from "../../model/topics.ts";
import { multicall } from "../../node/multicall.ts";
import { Q96, squarePrice } from "../fraction.ts";
import { type PoolContext, type PoolLookup, type PoolReference, type PoolState, pairOf } from "../pool.ts";
import { type ContractCall, splitResults } from "./contractCalls.ts";
import { UNISWAP_FEE_TIERS } from "./uniswap.ts";

/** Topic of `Initialize(bytes32,address,address,uint24,int24,address,uint160,int24)` of the pool manager. */
export const V4_INITIALIZE_TOPIC = "0xdd466e674ea557f56295e2d0218a125ea4b4f0f6f3307b95f85e6110838d6438";

const slotAbi = parseAbi(["function extsload(bytes32 slot) view returns (bytes32)"]);
const slotsAbi = parseAbi(["function extsload(bytes32 start, uint256 count) view returns (bytes32[])"]);

/** Slots of the pool manager's storage (StateLibrary of Uniswap v4). */
const POOLS_SLOT = 6n;
const LIQUIDITY_OFFSET = 3;
const TICKS_OFFSET = 4n;
const BITMAP_OFFSET = 5n;

/** Tick spacings of the usual fees; for others, the one that Uniswap's interface chooses. */
const TICK_SPACINGS: Readonly<Record<number, number>> = { 100: 1, 500: 10, 3000: 60, 10000: 200 };
const MAX_TICK = 887_272;
/** Max ticks in each direction whose liquidity is read. */
const MAX_TICKS = 16;

/**
 * Finds pools of Uniswap v4 without hooks, by their fees. A hook can refuse trades, or change what they cost, so that
 * trading at the price of its pool may be impossible.
 */
export async function findV4Pools(
  { node, coin, block }: PoolContext,
  lookups: readonly PoolLookup[],
): Promise<PoolReference[]> {
  const candidates = lookups.flatMap(({ exchange, tokens }) => candidatesOf(exchange, tokens, coin));
  const answers = await multicall(
    node,
    candidates.map(({ exchange, address }) => slotCall(exchange, stateSlot(address))),
    block,
  );
  return candidates.filter((_, i) => sqrtPriceOf(wordAt(answers[i], 0)) > 0n);
}

function candidatesOf(
  exchange: Exchange,
  [a, b]: PoolLookup["tokens"],
  coin: string | undefined,
): PoolReference[] {
  // Pools can have the native coin itself, which is the null address.
  const pairs = [pairOf(a, b)];
  if (a === coin) pairs.push([NULL_ADDRESS, b]);
  if (b === coin) pairs.push([NULL_ADDRESS, a]);
  const { feeTiers = UNISWAP_FEE_TIERS } = exchange;
  return pairs.flatMap(([first, second]) =>
    feeTiers.map((fee) => ({
      exchange,
      address: poolId(first, second, fee),
      tokens: [first === NULL_ADDRESS && coin !== undefined ? coin : first, second] as const,
      tickSpacing: tickSpacingOf(fee),
    })),
  );
}

/** The pool with an id; undefined if the index has no log of its creation. It can have hooks. */
export async function findV4PoolById(
  { logs, coin, block }: PoolContext,
  exchange: Exchange,
  id: string,
): Promise<PoolReference | undefined> {
  const source = { address: exchange.factory, topics: [V4_INITIALIZE_TOPIC], topic1: id };
  const [[created] = []] = await logs.latestBefore([source], block + 1);
  const [, , first, second] = created?.topics ?? [];
  if (!isAddressTopic(first) || !isAddressTopic(second)) return undefined;
  const currency = addressOf(first);
  return {
    exchange,
    address: id,
    tokens: [currency === NULL_ADDRESS ? (coin ?? currency) : currency, addressOf(second)],
    tickSpacing: Number(wordAt(created?.data, 1) ?? 1n),
  };
}

/** A pool with a price and liquidity. */
interface V4State {
  reference: PoolReference;
  sqrtPrice: bigint;
  /** Active at the price. */
  liquidity: bigint;
  tick: number;
  spacing: number;
}

/** A tick, and by how much its liquidity grows when the price rises beyond it. */
interface LiquidityChange {
  tick: number;
  net: bigint;
}

/** Reads the states of pools; undefined for those without a price or without liquidity. */
export async function readV4Pools(
  context: PoolContext,
  references: readonly PoolReference[],
): Promise<(PoolState | undefined)[]> {
  const { node, block } = context;
  const answers = await multicall(
    node,
    references.map(({ exchange, address }) => stateCall(exchange, address)),
    block,
  );
  const states = references.map((reference, i): V4State | undefined => {
    // An array: its offset, its length, its words.
    const slot0 = wordAt(answers[i], 2) ?? 0n;
    const liquidity = wordAt(answers[i], 2 + LIQUIDITY_OFFSET) ?? 0n;
    const sqrtPrice = sqrtPriceOf(slot0);
    if (sqrtPrice === 0n || liquidity === 0n) return undefined;
    const tick = Number(BigInt.asIntN(24, slot0 >> 160n));
    return { reference, sqrtPrice, liquidity, tick, spacing: reference.tickSpacing ?? 1 };
  });
  const found = states.filter((state) => state !== undefined);
  const changes = await readLiquidityChanges(context, found);
  const depths = new Map(found.map((state, i) => [state, depthOf(state, changes[i] ?? [])]));
  return states.map((state) => {
    const depth = state && depths.get(state);
    return state && depth && { price: squarePrice(state.sqrtPrice), depth };
  });
}

/** The ticks around the prices of pools at which their liquidity changes, in ascending order. */
async function readLiquidityChanges(
  { node, block }: PoolContext,
  states: readonly V4State[],
): Promise<LiquidityChange[][]> {
  const words = states.map(({ tick, spacing }) => {
    const word = Math.floor(tick / spacing) >> 8;
    return [word - 1, word, word + 1];
  });
  const bitmapCalls = states.flatMap(({ reference: { exchange, address } }, i) =>
    (words[i] ?? []).map((word) => slotCall(exchange, mappingSlot(address, BITMAP_OFFSET, word))),
  );
  const bitmaps = splitResults(await multicall(node, bitmapCalls, block), words);
  const ticks = states.map(({ tick, spacing }, i) => {
    const initialized = (words[i] ?? []).flatMap((word, n) =>
      bitsOf(wordAt(bitmaps[i]?.[n], 0) ?? 0n).map((bit) => (word * 256 + bit) * spacing),
    );
    return [
      ...initialized.filter((each) => each <= tick).slice(-MAX_TICKS),
      ...initialized.filter((each) => each > tick).slice(0, MAX_TICKS),
    ];
  });
  const tickCalls = states.flatMap(({ reference: { exchange, address } }, i) =>
    (ticks[i] ?? []).map((tick) => slotCall(exchange, mappingSlot(address, TICKS_OFFSET, tick))),
  );
  const answers = splitResults(await multicall(node, tickCalls, block), ticks);
  return states.map(({ tick, spacing }, i) => {
    const changes = (ticks[i] ?? []).map((at, n) => ({
      tick: at,
      // The upper half of the word is the signed net liquidity.
      net: BigInt.asIntN(128, (wordAt(answers[i]?.[n], 0) ?? 0n) >> 128n),
    }));
    // Up to the ends of what was read, the liquidity is known, too.
    const [first = 0, , last = 0] = words[i] ?? [];
    const [lowest, highest] = [first * 256 * spacing, (last + 1) * 256 * spacing];
    if (changes.filter((each) => each.tick <= tick).length < MAX_TICKS)
      changes.unshift({ tick: Math.max(lowest, -MAX_TICK), net: 0n });
    if (changes.filter((each) => each.tick > tick).length < MAX_TICKS)
      changes.push({ tick: Math.min(highest, MAX_TICK), net: 0n });
    return changes;
  });
}

/** The amounts between the price and the outermost ticks that were read. */
function depthOf(
  { sqrtPrice, liquidity, tick }: V4State,
  changes: readonly LiquidityChange[],
): readonly [bigint, bigint] {
  let first = 0n;
  let second = 0n;
  let active = liquidity;
  let price = sqrtPrice;
  for (const { tick: next, net } of changes.filter((each) => each.tick <= tick).toReversed()) {
    const lower = sqrtPriceAt(next);
    if (lower < price) second += (active * (price - lower)) / Q96;
    price = lower;
    active -= net;
  }
  active = liquidity;
  price = sqrtPrice;
  for (const { tick: next, net } of changes.filter((each) => each.tick > tick)) {
    const upper = sqrtPriceAt(next);
    if (upper > price) first += (active * Q96 * (upper - price)) / (upper * price);
    price = upper;
    active += net;
  }
  return [first, second];
}

/** The square root of the price at a tick. About 15 digits are exact. */
function sqrtPriceAt(tick: number): bigint {
  return BigInt(Math.round(1.0001 ** (tick / 2) * 2 ** 96));
}

/** The numbers of the bits that are set, in ascending order. */
function bitsOf(bitmap: bigint): number[] {
  if (bitmap === 0n) return [];
  return Array.from({ length: 256 }, (_, bit) => bit).filter((bit) => (bitmap >> BigInt(bit)) & 1n);
}

function sqrtPriceOf(slot0: bigint | undefined): bigint {
  return (slot0 ?? 0n) % 2n ** 160n;
}

const POOL_KEY = parseAbiParameters("address, address, uint24, int24, address");

/** The id of a pool without hooks. */
function poolId(first: string, second: string, fee: number): string {
  const key = [asHex(first), asHex(second), fee, tickSpacingOf(fee), asHex(NULL_ADDRESS)] as const;
  return keccak256(encodeAbiParameters(POOL_KEY, key));
}

function tickSpacingOf(fee: number): number {
  return TICK_SPACINGS[fee] ?? Math.max(1, Math.round(fee / 50));
}

/** The slot of the state of a pool in the manager's storage. */
function stateSlot(id: string): `0x${string}` {
  return keccak256(encodeAbiParameters(parseAbiParameters("bytes32, uint256"), [asHex(id), POOLS_SLOT]));
}

/** The slot of an entry of a mapping in the state of a pool. */
function mappingSlot(id: string, offset: bigint, key: number): `0x${string}` {
  const slot = BigInt(stateSlot(id)) + offset;
  return keccak256(encodeAbiParameters(parseAbiParameters("int256, uint256"), [BigInt(key), slot]));
}

function slotCall({ factory }: Exchange, slot: `0x${string}`): ContractCall {
  return { to: factory, data: encodeFunctionData({ abi: slotAbi, args: [slot] }) };
}

/** Reads the price, its tick, and the liquidity. */
function stateCall({ factory }: Exchange, id: string): ContractCall {
  const args = [stateSlot(id), BigInt(LIQUIDITY_OFFSET + 1)] as const;
  return { to: factory, data: encodeFunctionData({ abi: slotsAbi, args }) };
}

import { type Block, type Erc20Metadata, ErrorCode, type Page, Web3API } from "@purse/client";
import { useEffect, useRef } from "react";
import type { Point } from "../../design/Chart.tsx";
import type { QueryResult } from "../../design/QueryState.tsx";
import { isNotFound, isUnavailable } from "../../query/errors.ts";
import { type ServerQueryOptions, useServerQuery } from "../../query/useServerQuery.ts";
import { getBlock, getDateToBlock, getLogsByAddress, getTokenPrice } from "./dataService.ts";
import { useExplorer } from "./ExplorerContext.ts";

interface Options {
  signal?: AbortSignal;
}

type Operation<P, R> = (params: P, options?: Options) => Promise<R>;

const ids = new WeakMap<object, number>();
let count = 0;

/** The same number for the same function: functions have no place in the key of a query. */
function functionId(operation: object): number {
  const id = ids.get(operation) ?? ++count;
  ids.set(operation, id);
  return id;
}

type DataQueryOptions = Pick<ServerQueryOptions<unknown>, "refetchIntervalMs" | "keepPrevious" | "timeoutMs">;

/** An answer of the data service, asked for at once; while `when` is false it waits. */
export function useDataQuery<P extends object, R>(
  operation: Operation<P, R>,
  params: P,
  isEnabled = true,
  options: DataQueryOptions = {},
): QueryResult<R> {
  return useServerQuery({
    queryKey: isEnabled ? ["data service", functionId(operation), params] : undefined,
    queryFn: (queryOptions) => operation(params, queryOptions),
    keepPrevious: "loading",
    ...options,
  });
}

/** How often a live answer is asked for again where no new block says so, in ms: a reorganisation need not make one. */
const REFETCH_INTERVAL_MS = 12_000;

/** The same, asked for again with each new block, and now and then, while `when` and while the page is in sight. */
export function useLiveDataQuery<P extends object, R>(
  operation: Operation<P, R>,
  params: P,
  isEnabled = true,
) {
  const { head } = useExplorer();
  const query = useDataQuery(
    operation,
    params,
    true,
    isEnabled ? { refetchIntervalMs: REFETCH_INTERVAL_MS } : {},
  );
  const latest = useRef(head);
  useEffect(() => {
    const previous = latest.current;
    latest.current = head;
    if (isEnabled && previous !== undefined && previous !== head) query.refetch();
  });
  return query;
}

/** What tokens say of themselves, as far as it is known. */
export interface Tokens {
  /** Those that say nothing are missing. */
  known: ReadonlyMap<string, Erc20Metadata>;
  /** Their decimals: without them nobody knows how much an amount is. Undefined while they are read. */
  decimalsOf(address: string): number | undefined;
  query: QueryResult<Erc20Metadata[]>;
}

/** What these contracts say of themselves as tokens; 100 at most. */
export function useTokens(addresses: readonly string[]): Tokens {
  const { chain } = useExplorer();
  const wanted = [...new Set(addresses)].sort().slice(0, 100);
  const query = useDataQuery(
    Web3API.token.getTokenMetadata,
    { chain: chain.hexId, addresses: wanted },
    wanted.length > 0,
  );
  const known = new Map(
    (query.data ?? [])
      .filter(({ symbol, name, decimals }) => symbol !== "" || name !== "" || decimals !== "0")
      .map((token) => [token.address, token]),
  );
  return {
    known,
    decimalsOf: (address) => (query.data ? Number(known.get(address)?.decimals ?? 0) : undefined),
    query,
  };
}

/** Some blocks from `head` down, newest first. What is known already is not asked for again, unless it was replaced. */
export function latestBlocks(
  known: Map<string, Block>,
): Operation<{ chain: string; head: number; count: number }, Block[]> {
  return async ({ chain, head, count }, options) => {
    const numbers = Array.from({ length: Math.min(count, head + 1) }, (_, i) => head - i);
    const read = async (number: number) => {
      const block = await getBlock({ chain, block_number_or_hash: String(number) }, options);
      known.set(`${chain}/${number}`, block);
      return block;
    };
    const first = await Promise.all(numbers.map((number) => known.get(`${chain}/${number}`) ?? read(number)));
    const continues = first.every((block, i) => i === 0 || first[i - 1]?.parent_hash === block.hash);
    const blocks = continues ? first : await Promise.all(numbers.map(read));
    const oldest = head - count;
    for (const key of known.keys()) {
      if (!key.startsWith(`${chain}/`) || Number(key.split("/")[1]) < oldest) known.delete(key);
    }
    return blocks;
  };
}

/** A block, and the hash of the block that has its place now: another one where it is orphaned. */
export async function readBlockWithCanonicalHash(
  { chain, block }: { chain: string; block: string },
  options?: Options,
): Promise<{ block: Block; canonicalHash: string }> {
  const found = await getBlock({ chain, block_number_or_hash: block }, options);
  if (!block.startsWith("0x")) return { block: found, canonicalHash: found.hash };
  const canonical = await getBlock({ chain, block_number_or_hash: found.number }, options);
  return { block: found, canonicalHash: canonical.hash };
}

export interface NonceNeighbors {
  previous: string | undefined;
  next: string | undefined;
}

/** The sender's transactions before and after one, among those nearby; undefined where they are not found. */
export async function readNonceNeighbors(
  { chain, from, nonce, block }: { chain: string; from: string; nonce: string; block: string },
  options?: Options,
): Promise<NonceNeighbors> {
  const list = (range: { to_block: string } | { from_block: string }, order: "asc" | "desc") =>
    Web3API.account.getTransactions({ chain, address: from, limit: 100, order, ...range }, options);
  const [older, newer] = await Promise.all([
    list({ to_block: block }, "desc"),
    list({ from_block: block }, "asc"),
  ]);
  const findByNonce = (wanted: number) =>
    [...older.result, ...newer.result].find(
      (each) => each.from_address === from && Number(each.nonce) === wanted,
    )?.hash;
  return { previous: findByNonce(Number(nonce) - 1), next: findByNonce(Number(nonce) + 1) };
}

/** Whether somebody has told a contract apart: it was made by a transaction, writes logs, or is a token. */
export async function looksLikeContract(
  { chain, address }: { chain: string; address: string },
  options?: Options,
): Promise<boolean> {
  const [logs, [token]] = await Promise.all([
    getLogsByAddress({ chain, address, limit: 1 }, options).catch(() => undefined),
    Web3API.token.getTokenMetadata({ chain, addresses: [address] }, options),
  ]);
  return (logs?.total ?? 0) > 0 || Boolean(token && (token.symbol !== "" || token.name !== ""));
}

/** Pages one after the other, until there are so many rows. */
export async function readAllPages<Row>(
  page: (cursor: string | undefined) => Promise<Page<Row>>,
  max: number,
): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: string | undefined;
  do {
    const { result, cursor: next } = await page(cursor);
    for (const row of result) rows.push(row);
    cursor = next || undefined;
  } while (cursor && rows.length < max);
  return rows.slice(0, max);
}

export const RANGES = { day: 1, week: 7, month: 30, year: 365, all: 36_500 } as const;
export type RangeName = keyof typeof RANGES;

export function rangeOf(text: string | undefined): RangeName {
  return text !== undefined && isRange(text) ? text : "month";
}

function isRange(text: string): text is RangeName {
  return Object.hasOwn(RANGES, text);
}

const SAMPLE_COUNT = 16;

/**
 * A value at some moments up to the newest block. Moments at which there was none are left out; where nodes keep no
 * past, that is all but the newest. Rejects where a moment could not be asked for.
 */
export async function readHistory(
  { chain, range }: { chain: string; range: RangeName },
  valueAt: (block: number) => Promise<number | undefined>,
  options?: Options,
): Promise<Point[]> {
  const find = (date: Date) => getDateToBlock({ chain, date: date.toISOString() }, options);
  const [oldest, newest] = await Promise.all([find(new Date(0)), find(new Date())]);
  const from = Math.max(oldest.timestamp, newest.timestamp - RANGES[range] * 86_400);
  const points: Point[] = [];
  const times = Array.from(
    { length: SAMPLE_COUNT },
    (_, i) => from + ((newest.timestamp - from) * i) / (SAMPLE_COUNT - 1),
  );
  const sampleNext = async () => {
    for (let next = times.shift(); next !== undefined; next = times.shift()) {
      const { block, timestamp } = await find(new Date(next * 1000));
      const value = await valueAt(block).catch((error: unknown) => {
        if (options?.signal?.aborted || !hasNoValue(error)) throw error;
        return undefined;
      });
      if (value !== undefined) points.push({ at: timestamp * 1000, value });
    }
  };
  // A few at a time: a chart is not worth a rush on the server.
  await Promise.all([sampleNext(), sampleNext(), sampleNext(), sampleNext()]);
  const byTime = new Map(points.map((point) => [point.at, point]));
  return [...byTime.values()].sort((a, b) => a.at - b.at);
}

/** The longest that such a line may take to read, in ms. */
export const HISTORY_TIMEOUT_MS = 60_000;

/** That there was nothing at that moment, or that the node keeps no past: answers, both of them. */
function hasNoValue(error: unknown): boolean {
  return isNotFound(error) || isUnavailable(error) || Object(error).code === ErrorCode.VALIDATION_ERROR;
}

/** A token's price in the chain's own coin, over time. */
export function readPriceHistory(
  { chain, address, range }: { chain: string; address: string; range: RangeName },
  options?: Options,
): Promise<Point[]> {
  return readHistory(
    { chain, range },
    async (block) => {
      const { nativePrice } = await getTokenPrice({ chain, address, to_block: block }, options);
      return Number(nativePrice.value) / 10 ** nativePrice.decimals;
    },
    options,
  );
}

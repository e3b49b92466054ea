import { type Block, type Erc20Metadata, ErrorCode, type Page, Web3API } from "@purse/client";
import { isNotFound, isUnavailable, type Point, type QueryResult } from "@purse/ui";
import { useEffect, useRef } from "react";
import { type ServerQueryOptions, useServerQuery } from "../../query/useServerQuery.ts";
import { getBlock, getDateToBlock, getLogsByAddress, getTokenPrice } from "./dataApi.ts";
import { useExplorer } from "./ExplorerContext.ts";

interface Options {
  signal?: AbortSignal;
}

type Operation<P, R> = (params: P, options?: Options) => Promise<R>;

const ids = new WeakMap<object, number>();
let count = 0;

/** A unique ID per function, because functions cannot be part of query keys. */
function functionId(operation: object): number {
  const id = ids.get(operation) ?? ++count;
  ids.set(operation, id);
  return id;
}

type DataQueryOptions = Pick<ServerQueryOptions<unknown>, "refetchIntervalMs" | "keepPrevious" | "timeoutMs">;

/** Queries the data API. The query is paused while `isEnabled` is false. */
export function useDataQuery<P extends object, R>(
  operation: Operation<P, R>,
  params: P,
  isEnabled = true,
  options: DataQueryOptions = {},
): QueryResult<R> {
  return useServerQuery({
    queryKey: isEnabled ? ["data API", functionId(operation), params] : undefined,
    queryFn: (queryOptions) => operation(params, queryOptions),
    keepPrevious: "loading",
    ...options,
  });
}

/** The refetch interval of live queries without a new block, in ms: a reorganization may keep the height. */
const REFETCH_INTERVAL_MS = 12_000;

/** The same query, refetched with each new block and at intervals while `isEnabled` and the page is visible. */
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

/** Metadata of tokens. */
export interface Tokens {
  /** Tokens without metadata are missing. */
  known: ReadonlyMap<string, Erc20Metadata>;
  /** The decimals of a token; undefined while loading, because amounts are meaningless without them. */
  decimalsOf(address: string): number | undefined;
  query: QueryResult<Erc20Metadata[]>;
}

/** Queries the metadata of at most 100 tokens. */
export function useTokens(addresses: readonly string[]): Tokens {
  const { chain } = useExplorer();
  const requested = [...new Set(addresses)].sort().slice(0, 100);
  const query = useDataQuery(
    Web3API.token.getTokenMetadata,
    { chain: chain.hexId, addresses: requested },
    requested.length > 0,
  );
  const known = new Map(
    (query.data ?? [])
      .filter(({ symbol, name, decimals }) => symbol !== "" || name !== "" || decimals !== null)
      .map((token) => [token.address, token]),
  );
  return {
    known,
    decimalsOf: (address) => (query.data ? Number(known.get(address)?.decimals ?? 0) : undefined),
    query,
  };
}

/** Reads a block and the hash of the canonical block at its height, which differs if the block is orphaned. */
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

/** Reads the sender's transactions with the previous and the next nonce, if they are nearby. */
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
  const findByNonce = (requested: number) =>
    [...older.result, ...newer.result].find(
      (each) => each.from_address === from && Number(each.nonce) === requested,
    )?.hash;
  return { previous: findByNonce(Number(nonce) - 1), next: findByNonce(Number(nonce) + 1) };
}

/** Whether an address looks like a contract: it has logs or token metadata. */
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

/** Reads pages until there are `max` rows. */
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
 * Samples a value at several times up to the latest block. Times without a value are skipped; without archive nodes
 * only the latest remains. Rejects if a request fails.
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
  // Limits the number of concurrent requests.
  await Promise.all([sampleNext(), sampleNext(), sampleNext(), sampleNext()]);
  const byTime = new Map(points.map((point) => [point.at, point]));
  return [...byTime.values()].sort((a, b) => a.at - b.at);
}

/** Timeout of a price history, in ms. */
export const HISTORY_TIMEOUT_MS = 60_000;

/** Whether there was no value at the time, or no archive node: results rather than failures. */
function hasNoValue(error: unknown): boolean {
  return isNotFound(error) || isUnavailable(error) || Object(error).code === ErrorCode.VALIDATION_ERROR;
}

/** Reads the price history of a token in the native coin. */
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

import { invalid } from "../model/requestErrors.ts";
import { type BlockRow, blockOf } from "../model/rows.ts";
import type { ListOptions, ListResult } from "../store/listQuery.ts";
import { type ChainContext, chainUnavailable, requireSynced } from "./chainContext.ts";
import { firstKeptBlock, keptFields } from "./eventRetention.ts";
import { type Cursor, encodeCursor } from "./pageParameters.ts";

/** Parameters of a list endpoint; not every endpoint has all. */
export interface ListParameters {
  from_block?: number | undefined;
  to_block?: number | undefined;
  /** Seconds since the epoch. */
  from_date?: number | undefined;
  to_date?: number | undefined;
  limit: number;
  offset?: number;
  cursor?: Cursor | undefined;
  /** Omits the total. */
  disable_total?: boolean | undefined;
}

/** A page of a response. */
export interface Page<Result> {
  /** Number of rows of all pages; absent if it was not requested. */
  total?: number;
  /** Counted from 0. */
  page: number;
  page_size: number;
  /** Empty on the last page. */
  cursor: string;
  /** The first block whose events are kept; absent if none have been removed. */
  kept_from_block?: string;
  /** The latest block whose events are known; absent while the index is at the head of the chain. */
  indexed_to_block?: string;
  result: Result[];
}

/** A page of rows. */
export interface ListPage<Row> {
  rows: Row[];
  /** The blocks of the rows by number. */
  blocks: Map<number, BlockRow>;
  /** Creates the response from the serialized rows. */
  page<Result>(result: Result[]): Page<Result>;
}

/**
 * Reads a page in descending order by default. Block bounds take precedence over dates. The total is counted for the
 * first page; cursors contain it.
 */
export async function readList<Row extends { position: number; part?: number }>(
  chain: ChainContext,
  parameters: ListParameters,
  find: (window: ListOptions) => Promise<ListResult<Row>>,
  ascending = false,
): Promise<ListPage<Row>> {
  const { limit, cursor, disable_total: isTotalDisabled = false } = parameters;
  const offset = cursor ? 0 : (parameters.offset ?? 0);
  const bounds = await blockBounds(chain, parameters);
  await assertKept(chain, bounds);
  const [position = 0, part = 0, countedTotal] = cursor?.parts.map(Number) ?? [];
  // One extra row shows whether there is a next page.
  const window = {
    ...bounds,
    offset,
    limit: limit + 1,
    ascending,
    withTotal: !isTotalDisabled && countedTotal === undefined,
    ...(cursor && { after: { position, part } }),
  };
  const { rows: found, total = countedTotal } = await find(window);
  // While the index is incomplete, rows can be returned, but an empty result cannot.
  const isEmpty = found.length === 0 && (total ?? 0) === 0;
  if (isEmpty && (bounds.toBlock ?? Number.POSITIVE_INFINITY) > (chain.status().indexed ?? -1)) {
    requireSynced(chain);
  }
  const { rows, last } = firstRows(found, limit);
  const page = cursor ? cursor.page : Math.floor(offset / limit);
  const blocks = await chain.store.blocks(rows.map((row) => blockOf(row.position)));
  const kept = await keptFields(chain);
  const nextParts = last && [last.position, last.part ?? 0, ...(total === undefined ? [] : [total])];
  return {
    rows,
    blocks,
    page: (result) => ({
      ...(total !== undefined && !isTotalDisabled && { total }),
      ...pageFields({ limit, cursor: { page } }, nextParts),
      ...kept,
      result,
    }),
  };
}

/** The rows of a page among those that were read: one more than `limit` shows that there is a next page. */
export function firstRows<Row>(found: readonly Row[], limit: number): { rows: Row[]; last: Row | undefined } {
  const rows = found.slice(0, limit);
  return { rows, last: found.length > limit ? rows.at(-1) : undefined };
}

/**
 * The place of a page among the others in its response. Without a cursor, it is the first page. `nextParts` is where the
 * next page begins; undefined on the last page.
 */
export function pageFields(
  { limit, cursor }: { limit: number; cursor?: Pick<Cursor, "page"> | undefined },
  nextParts: readonly (number | string)[] | undefined,
): Pick<Page<unknown>, "page" | "page_size" | "cursor"> {
  const page = cursor?.page ?? 0;
  return { page, page_size: limit, cursor: nextParts ? encodeCursor(nextParts, page + 1) : "" };
}

/** A page by number of rows, or by the cursor of the previous page. */
export interface OffsetPage {
  limit: number;
  offset: number;
  cursor?: Cursor | undefined;
}

/** The place of a page among the others, for `pageFields`. */
export function placeOf({ limit, offset, cursor }: OffsetPage): {
  limit: number;
  cursor: Pick<Cursor, "page">;
} {
  return { limit, cursor: cursor ?? { page: Math.floor(offset / limit) } };
}

/** First and last block of the range; undefined for no bound. */
export async function blockBounds(
  chain: ChainContext,
  { from_block, to_block, from_date, to_date }: Omit<ListParameters, "limit">,
): Promise<{ fromBlock: number | undefined; toBlock: number | undefined }> {
  const { store, config } = chain;
  if (from_block !== undefined && to_block !== undefined && from_block > to_block)
    throw invalid("from_block must not be greater than to_block");
  if (from_date !== undefined && to_date !== undefined && from_date > to_date)
    throw invalid("from_date must not be later than to_date");
  const fromBlock =
    from_block ??
    (from_date === undefined
      ? undefined
      : ((await store.blockAfter(from_date))?.number ?? Number.MAX_SAFE_INTEGER / 2 ** 21));
  const toBlock =
    to_block ?? (to_date === undefined ? undefined : ((await store.blockBefore(to_date))?.number ?? -1));
  const start = config.startBlock ?? 0;
  if (toBlock !== undefined && toBlock < start && start > 0) {
    throw chainUnavailable(chain, `its blocks before ${start} are not indexed on this server`);
  }
  return { fromBlock: fromBlock === undefined ? undefined : Math.floor(fromBlock), toBlock };
}

/** Throws ProtocolError with HTTP 503 if no events of the range are kept. */
export async function assertKept(
  chain: ChainContext,
  { toBlock }: { toBlock: number | undefined },
): Promise<void> {
  const first = toBlock === undefined ? undefined : await firstKeptBlock(chain);
  if (toBlock !== undefined && first !== undefined && toBlock < first)
    throw chainUnavailable(chain, `the events before block ${first} are no longer kept on this server`);
}

/** Block fields of a row. */
export function blockFields(blocks: Map<number, BlockRow>, position: number) {
  const number = blockOf(position);
  const block = blocks.get(number);
  return {
    block_timestamp: isoTime(block?.timestamp ?? 0),
    block_number: String(number),
    block_hash: block?.hash ?? "",
  };
}

/** Latest second that Date supports (ECMA-262); a chain can claim any time. */
const LAST_SECOND = 8_640_000_000_000;

/** Converts seconds since the epoch to ISO 8601. */
export function isoTime(seconds: number): string {
  return new Date(Math.min(seconds, LAST_SECOND) * 1000).toISOString();
}

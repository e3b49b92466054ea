import type { JsonObject, JsonValue } from "@purse/protocol";
import { type BlockRow, blockOf } from "../model/rows.ts";
import type { Found } from "../store/queryResult.ts";
import type { Window } from "../store/unionBranches.ts";
import { assertIndexed, type FollowedChain, unavailable } from "./chainContext.ts";
import { cursorText } from "./parameters.ts";
import type { Cursor } from "./table.ts";

/** The parameters of a list, as far as it has them. */
export interface ListParameters {
  from_block?: number | undefined;
  to_block?: number | undefined;
  /** Seconds since the epoch. */
  from_date?: number | undefined;
  to_date?: number | undefined;
  limit: number;
  offset?: number;
  cursor?: Cursor | undefined;
}

/** A page of rows: what is in it, and what it says of itself. */
export interface ListPage<Row> {
  rows: Row[];
  /** The blocks of the rows, by number. */
  blocks: Map<number, BlockRow>;
  /** The page around the rows as they are answered. */
  page(result: JsonValue[]): JsonObject;
}

/** Reads a page of a list that goes from the newest to the oldest; blocks go before dates. */
export async function readList<Row extends { position: number; part?: number }>(
  chain: FollowedChain,
  parameters: ListParameters,
  find: (window: Window) => Promise<Found<Row>>,
  ascending = false,
): Promise<ListPage<Row>> {
  const { limit, cursor } = parameters;
  const offset = cursor ? 0 : (parameters.offset ?? 0);
  const bounds = await blockBounds(chain, parameters);
  const [position = 0, part = 0] = cursor?.parts.map(Number) ?? [];
  // One more than asked tells whether there is a next page.
  const window = {
    ...bounds,
    offset,
    limit: limit + 1,
    ascending,
    ...(cursor && { after: { position, part } }),
  };
  const { rows: found, total } = await find(window);
  // From an index that is not yet complete, some rows are news and no row is not.
  if (total === 0 && (bounds.toBlock ?? Number.POSITIVE_INFINITY) > (chain.status().indexed ?? -1)) {
    assertIndexed(chain);
  }
  const rows = found.slice(0, limit);
  const last = found.length > limit ? rows.at(-1) : undefined;
  const number = cursor ? cursor.page : Math.floor(offset / limit);
  const blocks = await chain.store.blocks(rows.map((row) => blockOf(row.position)));
  return {
    rows,
    blocks,
    page: (result) => ({
      total,
      page: number,
      page_size: limit,
      cursor: last ? cursorText([last.position, last.part ?? 0], number + 1) : "",
      result,
    }),
  };
}

/** The first and the last block that count; undefined for no bound. */
export async function blockBounds(
  chain: FollowedChain,
  { from_block, to_block, from_date, to_date }: Omit<ListParameters, "limit">,
): Promise<{ fromBlock: number | undefined; toBlock: number | undefined }> {
  const { store, config } = chain;
  const fromBlock =
    from_block ??
    (from_date === undefined
      ? undefined
      : ((await store.blockAfter(from_date))?.number ?? Number.MAX_SAFE_INTEGER / 2 ** 21));
  const toBlock =
    to_block ?? (to_date === undefined ? undefined : ((await store.blockBefore(to_date))?.number ?? -1));
  const start = config.startBlock ?? 0;
  if (toBlock !== undefined && toBlock < start && start > 0) {
    throw unavailable(chain, `its blocks before ${start} are not indexed on this server`);
  }
  return { fromBlock: fromBlock === undefined ? undefined : Math.floor(fromBlock), toBlock };
}

/** Where a row is in the chain. */
export function placeOf(blocks: Map<number, BlockRow>, position: number) {
  const number = blockOf(position);
  const block = blocks.get(number);
  return {
    block_timestamp: isoTime(block?.timestamp ?? 0),
    block_number: String(number),
    block_hash: block?.hash ?? "",
  };
}

/** The last second that a Date knows (ECMA-262): a chain may claim any. */
const LAST_SECOND = 8_640_000_000_000;

/** ISO 8601 of seconds since the epoch. */
export function isoTime(seconds: number): string {
  return new Date(Math.min(seconds, LAST_SECOND) * 1000).toISOString();
}

import type { JsonObject } from "@purse/protocol";
import type { ChainContext } from "../endpoints/chainContext.ts";
import { assertEventsKept } from "../endpoints/eventRetention.ts";
import { withIndexErrors } from "../endpoints/routes.ts";
import { blockOf, positionOf } from "../model/rows.ts";
import { createSelectionQuery, type Selection } from "./selections.ts";

/** A block by number and hash (lower-case hex with 0x). */
export interface BlockReference {
  number: number;
  hash: string;
}

/** Position up to which a selection has been read. Positions increase along the chain. */
export interface EventCursor {
  position: number;
  /** Index in a batch (EIP-1155); 0 otherwise. */
  part: number;
  block: BlockReference;
}

/** A log, transaction or transfer. */
export interface ChainEvent {
  cursor: EventCursor;
  /** Time of its block; ms since the epoch. */
  timestamp: number;
  transactionHash: string;
  /** `args` by name for an event; otherwise kind, address, from_address, to_address, value, … */
  fields: JsonObject;
  /** Of a transaction: status, cumulative_gas_used, contract_address; of a transfer: transaction_index, is_batch. */
  details?: JsonObject;
}

/** Events of a selection in chain order, and the cursor after them. */
interface ChainEventBatch {
  events: ChainEvent[];
  cursor: EventCursor;
  /** Whether there may be more events before the requested block. */
  hasMore: boolean;
}

/** Reads events from the index of one chain; detects reorganizations. Each result is a consistent snapshot. */
export interface ChainEventReader {
  /** How many blocks the events are kept of, at least; undefined if all are kept. */
  readonly keepBlocks?: number | undefined;
  /** The latest block in the index. Rejects with ProtocolError with HTTP 503 if the index is not available. */
  head(): Promise<BlockReference | undefined>;
  /** The indexed hashes of blocks. */
  getBlockHashes(numbers: number[]): Promise<Map<number, string>>;
  /**
   * Returns the addresses that take part in the blocks after one up to another (lower-case hex with 0x); undefined if
   * the chain was reorganized or if there are too many.
   */
  touchedAddresses(after: BlockReference, upTo: BlockReference): Promise<ReadonlySet<string> | undefined>;
  /**
   * Returns the events after a cursor (from the first block without one) up to the end of a block. undefined if one
   * of the two blocks is no longer in the index: the chain was reorganized. Rejects with EventsRemovedError if events
   * after the cursor have been removed.
   */
  events(
    selection: Selection,
    after: EventCursor | undefined,
    upTo: BlockReference,
    limit: number,
  ): Promise<ChainEventBatch | undefined>;
}

/** Of any chain: one block a minute. */
const MIN_BLOCKS_PER_DAY = 1_440;

/** The cursor after all events of a block. */
export function endOfBlock(block: BlockReference): EventCursor {
  return { position: positionOf(block.number + 1, 0) - 1, part: Number.MAX_SAFE_INTEGER, block };
}

export function createEventReader(getChain: () => ChainContext): ChainEventReader {
  const getStore = () => getChain().store;
  return {
    get keepBlocks() {
      const { keepBlocks, keepDays } = getChain().config;
      const byDays = keepDays === undefined ? undefined : keepDays * MIN_BLOCKS_PER_DAY;
      return keepBlocks ?? byDays;
    },
    head: async () => {
      const newest = await withIndexErrors(getStore().checkpoint());
      return newest && { number: newest.number, hash: newest.hash };
    },
    async getBlockHashes(numbers) {
      const blocks = await getStore().blocks(numbers);
      return new Map([...blocks].map(([number, { hash }]) => [number, hash]));
    },
    touchedAddresses: (after, upTo) => getStore().touchedAddresses(after, upTo),
    async events(selection, after, upTo, limit) {
      const query = createSelectionQuery(selection);
      const rows = await getStore().selectEvents(query, after, upTo, limit);
      if (!rows) return undefined;
      // Checked afterwards: they could be removed between two reads.
      const from = after ? blockOf(after.position + 1) : (getChain().config.startBlock ?? 0);
      await assertEventsKept(getChain(), from);
      const located = rows.map(({ row, hash, timestamp }) => ({
        row,
        timestamp,
        cursor: {
          position: row.position,
          part: row.part,
          block: { number: blockOf(row.position), hash },
        },
      }));
      const events = located.flatMap(({ row, cursor, timestamp }): ChainEvent[] => {
        const fields = query.fields(row);
        const transactionHash = `0x${Buffer.from(row.transaction_hash).toString("hex")}`;
        const details = query.details(row);
        return fields ? [{ cursor, timestamp: timestamp * 1000, transactionHash, fields, details }] : [];
      });
      const last = located.at(-1);
      const hasMore = rows.length === limit && last !== undefined;
      return { events, cursor: hasMore ? last.cursor : endOfBlock(upTo), hasMore };
    },
  };
}

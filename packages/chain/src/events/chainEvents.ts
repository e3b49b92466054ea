import type { JsonObject } from "@purse/protocol";
import { blockOf, positionOf } from "../model/rows.ts";
import type { ChainStore } from "../store/chainStore.ts";
import { armsOf, type Selection } from "./selections.ts";

/** A block by its number and its hash, which is lower-case hex with 0x. */
export interface BlockReference {
  number: number;
  hash: string;
}

/** How far somebody has read a selection: up to this row of this block. Positions grow with the chain. */
export interface FeedPlace {
  position: number;
  /** Its number in a batch (EIP-1155); 0 otherwise. */
  part: number;
  block: BlockReference;
}

/** One log, transaction or transfer. */
export interface FeedEvent {
  place: FeedPlace;
  /** Of its block; ms since the epoch. */
  timestamp: number;
  transactionHash: string;
  /** What it says: `args` by name for an event; otherwise kind, address, from_address, to_address, value, … */
  fields: JsonObject;
}

/** Some rows of a selection in the order of the chain, and where to go on after them. */
export interface FeedBatch {
  events: FeedEvent[];
  reached: FeedPlace;
  /** Whether there may be more before the block that was asked for. */
  isMore: boolean;
}

/** Reads the index of one chain on and on, over reorganisations. Every answer is of one moment of the index. */
export interface ChainFeed {
  /** The newest block in the index. */
  head(): Promise<BlockReference | undefined>;
  /** The hashes that blocks have in the index. */
  hashesOf(numbers: number[]): Promise<Map<number, string>>;
  /**
   * What comes after a place (from the first block on without one), up to the end of a block. undefined where one of
   * the two is not in the index (any more): the chain was reorganised.
   */
  events(
    selection: Selection,
    after: FeedPlace | undefined,
    upTo: BlockReference,
    limit: number,
  ): Promise<FeedBatch | undefined>;
}

/** The place behind everything in a block. */
export function endOf(block: BlockReference): FeedPlace {
  return { position: positionOf(block.number + 1, 0) - 1, part: Number.MAX_SAFE_INTEGER, block };
}

export function feedOf(storeOf: () => ChainStore): ChainFeed {
  return {
    head: async () => {
      const newest = await storeOf().checkpoint();
      return newest && { number: newest.number, hash: newest.hash };
    },
    async hashesOf(numbers) {
      const blocks = await storeOf().blocks(numbers);
      return new Map([...blocks].map(([number, { hash }]) => [number, hash]));
    },
    async events(selection, after, upTo, limit) {
      const arms = armsOf(selection);
      const found = await storeOf().selected(arms, after, upTo, limit);
      if (!found) return undefined;
      const places = found.map(({ row, hash, timestamp }) => ({
        row,
        timestamp,
        place: {
          position: row.position,
          part: row.part,
          block: { number: blockOf(row.position), hash },
        },
      }));
      const events = places.flatMap(({ row, place, timestamp }): FeedEvent[] => {
        const fields = arms.fields(row);
        const transactionHash = `0x${Buffer.from(row.transaction_hash).toString("hex")}`;
        return fields ? [{ place, timestamp: timestamp * 1000, transactionHash, fields }] : [];
      });
      const last = places.at(-1);
      const isMore = found.length === limit && last !== undefined;
      return { events, reached: isMore ? last.place : endOf(upTo), isMore };
    },
  };
}

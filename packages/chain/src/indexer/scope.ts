import type { BlockRow, BlockRows, DiscoveredToken } from "../model/rows.ts";

/** Consecutive blocks, decoded for the index. */
export interface FetchedRange {
  /** Hash of the block before the first; it must be the latest in the index. */
  parentHash: string;
  rows: BlockRows;
  tokens: DiscoveredToken[];
  /** The last block of the range. */
  last: BlockRow;
  timings: FetchTimings;
}

/** Times in ms since the epoch. */
interface FetchTimings {
  startedAt: number;
  /** All data has arrived from the node. */
  fetchedAt: number;
  decodedAt: number;
}

/** A range that has been written, with the times of its steps. */
export interface IndexedRange extends FetchTimings {
  chainId: number;
  from: number;
  to: number;
  logs: number;
  writeStartedAt: number;
  writtenAt: number;
}

/** Which data of a chain is indexed. */
export interface IndexScope {
  /** Blocks per range. */
  readonly blockRange: number;
  /** Transactions that no node could trace, since the start. */
  readonly untraced?: number;
  /** Fetches a range, both ends included; undefined while the chain is being reorganized. Rejects like ChainNode. */
  fetch(from: number, to: number): Promise<FetchedRange | undefined>;
}

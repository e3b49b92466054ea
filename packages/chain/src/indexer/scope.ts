import type { BlockRow, BlockRows, DiscoveredToken } from "../model/rows.ts";

/** Consecutive blocks, decoded for the index. */
export interface FetchedRange {
  /** Hash of the block before the first; it must be the latest in the index. */
  parentHash: string;
  rows: BlockRows;
  tokens: DiscoveredToken[];
  /** The last block of the range. */
  last: BlockRow;
}

/** Which data of a chain is indexed. */
export interface IndexScope {
  /** Blocks per range. */
  readonly blockRange: number;
  /** Fetches a range, both ends included; undefined while the chain is being reorganized. Rejects like ChainNode. */
  fetch(from: number, to: number): Promise<FetchedRange | undefined>;
}

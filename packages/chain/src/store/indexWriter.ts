import type { BlockRow, BlockRows, TokenSighting } from "../model/rows.ts";
import type { TokenFacts } from "../model/tokens.ts";

/** The index was changed by somebody else since it was looked at. */
export class CheckpointMoved extends Error {
  override readonly name = "CheckpointMoved";
}

/** An address whose history is indexed. */
export interface Watched {
  address: string;
  /** From this block on it is followed with all others; WANTED where it is not yet. */
  since: number;
  /** The newest block below `since` that is still to be read for it; below the start when all is. */
  next: number;
}

/** `Watched.since` of an address that somebody has asked about, and that nobody follows yet. */
export const WANTED = -1;

/** What logs say. */
export type DerivedRows = Pick<BlockRows, "logs" | "nftTransfers" | "nftRanges" | "nftUpdates" | "trades">;

/** Changes the index of one chain; each in one transaction. */
export interface IndexWriter {
  /**
   * Adds what happened in the blocks after the checkpoint, and so moves it. Rejects with CheckpointMoved where `parent`
   * is not the newest block there is. What is there already stays as it is.
   */
  append(parent: BlockRow | undefined, rows: BlockRows, tokens: TokenSighting[]): Promise<void>;
  /** Adds what happened before to addresses that are now watched, and says how far down that reaches. */
  fill(
    rows: BlockRows,
    tokens: TokenSighting[],
    reached: { addresses: string[]; next: number },
  ): Promise<void>;
  /** Removes every block above a number and what happened in them. */
  unwind(above: number): Promise<void>;
  saveTokens(tokens: TokenFacts[]): Promise<void>;
  /** Asks for addresses to be watched. */
  want(addresses: string[]): Promise<void>;
  /** Watches addresses that are wanted: from the block after `newest` on, which is the newest in the index. */
  takeUp(addresses: string[], newest: number): Promise<void>;
  /**
   * Puts in what the logs of some blocks, both ends included, are found to say: transfers and tokens beside those that are
   * there, sales in their place. `logs` are those that count as ERC-20 transfers now and did not, or the other way round.
   */
  rederive(blocks: { from: number; to: number }, rows: DerivedRows, tokens: TokenSighting[]): Promise<void>;
  /** Has the history of all watched addresses read again, from a block down. */
  rereadWallets(from: number): Promise<void>;
  /** Removes everything: for an index that was made otherwise than is wanted now. */
  clear(): Promise<void>;
  saveFact(key: string, value: string): Promise<void>;
  close(): Promise<void>;
}

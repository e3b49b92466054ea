import type { BlockRow, BlockRows, TokenSighting } from "../model/rows.ts";
import type { ChainNode } from "../node/chainNode.ts";

/** Some blocks as they are to be put into the index. */
export interface Reading {
  /** The hash of the block before the first: it must be the newest in the index. */
  parentHash: string;
  rows: BlockRows;
  tokens: TokenSighting[];
  /** The newest of the blocks. */
  last: BlockRow;
}

/** What of a chain is indexed. */
export interface Scope {
  /** How many blocks to read at once. */
  readonly range: number;
  /** Both ends included; undefined where the chain is just changing. Rejects as ChainNode does. */
  read(from: number, to: number): Promise<Reading | undefined>;
}

/** Reads for an index of some scope. */
export type OpenScope = (node: ChainNode) => Scope;

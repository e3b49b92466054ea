import type { Block } from "@purse/client";

interface Options {
  signal?: AbortSignal;
}

/** Reads blocks by their numbers, in this order. */
export type ReadBlocks = (chain: string, numbers: readonly number[], options?: Options) => Promise<Block[]>;

export interface LatestBlocksParams {
  chain: string;
  head: number;
  /** Blocks that are read in any case. */
  count: number;
  /** Further blocks are read until they have that many transactions. */
  transactions: number;
}

/** Blocks that are read at most, and in one further request. */
const MAX_BLOCKS = 60;
const STEP = 26;

/**
 * Reads blocks from `head` down, newest first, until there are enough blocks and transactions. Known blocks are reused
 * unless they were replaced.
 */
export function latestBlocks(
  readBlocks: ReadBlocks,
): (params: LatestBlocksParams, options?: Options) => Promise<Block[]> {
  const known = new Map<string, Block>();

  async function read(chain: string, numbers: readonly number[], options?: Options): Promise<void> {
    if (numbers.length === 0) return;
    const blocks = await readBlocks(chain, numbers, options);
    blocks.forEach((block, i) => {
      known.set(`${chain}/${numbers[i]}`, block);
    });
  }

  return async ({ chain, head, count, transactions }, options) => {
    const blocksTo = (length: number) =>
      numbersFrom(head, length).flatMap((number) => known.get(`${chain}/${number}`) ?? []);
    let length = Math.min(count, head + 1);
    for (;;) {
      const numbers = numbersFrom(head, length);
      await read(
        chain,
        numbers.filter((number) => !known.has(`${chain}/${number}`)),
        options,
      );
      if (!isContinuous(blocksTo(length))) await read(chain, numbers, options);
      const found = blocksTo(length).reduce((sum, block) => sum + block.transactions.length, 0);
      if (found >= transactions || length >= Math.min(MAX_BLOCKS, head + 1)) break;
      length = Math.min(length + STEP, MAX_BLOCKS, head + 1);
    }
    for (const key of known.keys()) {
      if (!key.startsWith(`${chain}/`) || Number(key.split("/")[1]) < head - MAX_BLOCKS) known.delete(key);
    }
    return blocksTo(length);
  };
}

function numbersFrom(head: number, length: number): number[] {
  return Array.from({ length }, (_, i) => head - i);
}

/** Whether each block is the parent of the one before it. */
function isContinuous(blocks: readonly Block[]): boolean {
  return blocks.every((block, i) => i === 0 || blocks[i - 1]?.parent_hash === block.hash);
}

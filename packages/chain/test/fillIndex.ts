import { indexLocationOf } from "../src/createChainService.ts";
import {
  type BlockRow,
  type BlockRows,
  type DiscoveredToken,
  emptyBlockRows,
  type LogRow,
  positionOf,
} from "../src/model/rows.ts";
import { addressTopic, TRANSFER_TOPIC } from "../src/model/topics.ts";
import type { IndexWriter } from "../src/store/indexWriter.ts";
import { openIndex } from "../src/store/openIndex.ts";
import { PARTITIONS_VERSION, SCHEMA_VERSION } from "../src/store/schema.ts";
import type { DatabaseLocation } from "./indexDatabase.ts";

/*
 * Indexes of made-up blocks, without a node.
 */

const BLOCKS_PER_WRITE = 100;
const SECONDS_PER_BLOCK = 12;
const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

/** Adds the contents of a block. */
export type AddContents = (rows: BlockRows, block: number) => void;

export interface FilledIndex {
  /** Number of blocks, from block 0 on. */
  blocks: number;
  addContents: AddContents;
  /** The tokens of the first block. */
  tokens?: DiscoveredToken[];
  /** Runs after the last block was written. */
  complete?: (writer: IndexWriter) => Promise<void>;
}

/** Creates the index of a chain that is indexed as a whole. */
export async function fillIndex(
  location: DatabaseLocation,
  chainId: number,
  { blocks, addContents, tokens = [], complete }: FilledIndex,
): Promise<void> {
  const { writer, partitions, close } = await openIndex(indexLocationOf(location, chainId), SILENT);
  const layout = SCHEMA_VERSION + (partitions ? PARTITIONS_VERSION : 0);
  const making = { layout, scope: "chain", startBlock: 0, wrapped: null };
  await writer.saveProperty("making", JSON.stringify(making));
  let parent: BlockRow | undefined;
  for (let from = 0; from < blocks; from += BLOCKS_PER_WRITE) {
    const rows = createBlocks(from, Math.min(blocks, from + BLOCKS_PER_WRITE), parent, addContents);
    await writer.append(parent, rows, from === 0 ? tokens : []);
    parent = rows.blocks.at(-1);
  }
  await complete?.(writer);
  await close();
}

/** The blocks from `from` up to `to`, exclusive, after `parent`. The hashes of each `fork` differ. */
export function createBlocks(
  from: number,
  to: number,
  parent: BlockRow | undefined,
  addContents: AddContents,
  fork = "a",
): BlockRows {
  const rows = emptyBlockRows();
  for (let number = from; number < to; number++) {
    const parentHash = rows.blocks.at(-1)?.hash ?? parent?.hash ?? word(0);
    const timestamp = 1_700_000_000 + number * SECONDS_PER_BLOCK;
    rows.blocks.push({ number, hash: word(number, fork), parentHash, timestamp });
    addContents(rows, number);
  }
  return rows;
}

/** A number as 32 bytes, padded with a hex digit. */
export function word(number: number, filler = "0"): string {
  return `0x${number.toString(16).padStart(64, filler)}`;
}

/** The log of a transfer of a token, the `index`-th of its block. */
export function transferLog(
  block: number,
  index: number,
  { token, from, to, value = 1 }: { token: string; from: string; to: string; value?: number },
): LogRow {
  return {
    position: positionOf(block, index),
    transactionIndex: index,
    transactionHash: word(block * 1_000 + index, "b"),
    address: token,
    topics: [TRANSFER_TOPIC, addressTopic(from), addressTopic(to)],
    data: word(value),
    isErc20: true,
  };
}

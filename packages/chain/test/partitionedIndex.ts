import { indexLocationOf } from "../src/createChainService.ts";
import type { FetchedRange } from "../src/indexer/scope.ts";
import type { BlockRow, BlockRows, DiscoveredToken } from "../src/model/rows.ts";
import { type ChainIndex, openIndex } from "../src/store/openIndex.ts";
import { addContents } from "./blockContents.ts";
import { createBlocks } from "./fillIndex.ts";
import type { DatabaseLocation } from "./indexDatabase.ts";
import { createRecordingLogger } from "./testService.ts";

/*
 * An index with partitions of made-up blocks.
 */

export const PARTITION_BLOCKS = 10;
const DEFINITION = JSON.stringify({ scope: "chain" });

type Ends = (() => Promise<unknown>)[];

/** Opens the index of the process that indexes the chain; `ends` close it. */
export async function openLeader(location: DatabaseLocation, ends: Ends): Promise<ChainIndex> {
  const place = indexLocationOf(location, 1, { partitionBlocks: PARTITION_BLOCKS });
  const index = await openIndex(place, createRecordingLogger());
  ends.push(() => index.close());
  if (!(await index.isLeader())) throw new Error("another process indexes the chain");
  await index.writer.saveProperty("making", DEFINITION);
  return index;
}

/** The blocks from `from` up to `to`, exclusive. */
export const blocks = (from: number, to: number, parent?: BlockRow, fork?: string) =>
  createBlocks(from, to, parent, addContents, fork);
const CHAIN = blocks(0, 60);
/** A block of the chain. */
export const at = (number: number) => CHAIN.blocks[number];

/** The tokens of blocks, with their first transfers. */
function tokensOf({ logs, nftTransfers }: BlockRows): DiscoveredToken[] {
  const found = new Map<string, DiscoveredToken>();
  const add = (address: string, standard: DiscoveredToken["standard"], position: number) => {
    if (!found.has(address)) found.set(address, { address, standard, position });
  };
  for (const { address, isErc20, position } of logs) if (isErc20) add(address, 20, position);
  for (const { token, standard, position } of nftTransfers) add(token, standard, position);
  return [...found.values()];
}

/** What a process fetches of the chain, both ends included. */
function fetchBlocks(from: number, to: number): FetchedRange {
  const rows = blocks(from, to + 1, at(from - 1));
  const [first, last] = [rows.blocks[0], rows.blocks.at(-1)];
  if (!first || !last) throw new Error("there are no blocks");
  const timings = { startedAt: 0, fetchedAt: 0, decodedAt: 0 };
  return { parentHash: first.parentHash, rows, tokens: tokensOf(rows), last, timings };
}

/** Appends blocks of the chain to an index, both ends included. */
export async function append({ writer }: ChainIndex, from: number, to: number): Promise<void> {
  const { rows, tokens } = fetchBlocks(from, to);
  await writer.append(at(from - 1), rows, tokens);
}

import { setTimeout as sleep } from "node:timers/promises";
import { indexLocationOf } from "../createChainService.ts";
import { type BlockRow, type BlockRows, type DiscoveredToken, positionOf } from "../model/rows.ts";
import { UPGRADED_TOPIC } from "../model/topics.ts";
import { type ChainIndex, openIndex } from "../store/openIndex.ts";
import type { OpenRange } from "../store/postgresRanges.ts";
import { createBlocks, transferLog, word } from "./fillIndex.ts";
import type { DatabaseLocation } from "./indexDatabase.ts";
import { createRecordingLogger } from "./testService.ts";

/*
 * An index with partitions of made-up blocks, and ranges that are indexed in advance.
 */

export const PARTITION_BLOCKS = 10;
export const DEFINITION = JSON.stringify({ scope: "chain" });
export const TOKEN = `0x${"ee".repeat(20)}`;
const COLLECTION = `0x${"cc".repeat(20)}`;
const WALLETS = ["a1", "b2", "c3"].map((digits) => `0x${digits.repeat(20)}`);

type Ends = (() => Promise<unknown>)[];

/** Opens the index of a process; `ends` close it. */
export async function openIndexWithRanges(location: DatabaseLocation, ends: Ends): Promise<ChainIndex> {
  const place = indexLocationOf(location, 1, { partitionBlocks: PARTITION_BLOCKS });
  const index = await openIndex(place, createRecordingLogger());
  ends.push(() => index.close());
  return index;
}

/** Opens the index of the process that indexes the chain. */
export async function openLeader(location: DatabaseLocation, ends: Ends): Promise<ChainIndex> {
  const index = await openIndexWithRanges(location, ends);
  while (!(await index.isLeader())) await sleep(20);
  await index.writer.saveProperty("making", DEFINITION);
  return index;
}

/** The block in which the contract of the token is replaced, and the metadata of all NFTs changes. */
export const UPGRADE_BLOCK = 25;

/** Each block has a transfer of a token, and one of an NFT that not all of its previous owners had. */
function addContents({ logs, nftTransfers, nftUpdates }: BlockRows, block: number): void {
  const wallet = (offset: number) => WALLETS[(block + offset) % WALLETS.length] ?? "";
  const [from, to] = [wallet(0), wallet(1)];
  logs.push(transferLog(block, 0, { token: TOKEN, from, to, value: block + 1 }));
  if (block === UPGRADE_BLOCK) {
    const transfer = transferLog(block, 2, { token: TOKEN, from, to });
    logs.push({ ...transfer, topics: [UPGRADED_TOPIC, word(1)], data: "0x", isErc20: false });
    const position = positionOf(block, 3);
    nftUpdates.push({ position, token: COLLECTION, first: word(0), last: word(9) });
  }
  nftTransfers.push({
    position: positionOf(block, 1),
    part: 0,
    transactionIndex: 1,
    transactionHash: word(block, "b"),
    token: COLLECTION,
    tokenId: word(block % 4),
    standard: 721,
    isBatch: false,
    operator: null,
    from: wallet(2),
    to,
    amount: "1",
  });
}

/** The blocks from `from` up to `to`, exclusive. */
export const blocks = (from: number, to: number, parent?: BlockRow, fork?: string) =>
  createBlocks(from, to, parent, addContents, fork);
const CHAIN = blocks(0, 60);
/** A block of the chain. */
export const at = (number: number) => CHAIN.blocks[number];

export function tokensOf(first: number): DiscoveredToken[] {
  return [
    { address: TOKEN, standard: 20, position: positionOf(first, 0) },
    { address: COLLECTION, standard: 721, position: positionOf(first, 1) },
  ];
}

/** Appends blocks of the chain to an index, both ends included. */
export async function append({ writer }: ChainIndex, from: number, to: number): Promise<void> {
  await writer.append(at(from - 1), blocks(from, to + 1, at(from - 1)), tokensOf(from));
}

/** Leases one of the ranges with these numbers. */
export async function take(index: ChainIndex, first: number, last: number, ends: Ends): Promise<OpenRange> {
  const range = await index.ranges?.take({ first, last, definition: DEFINITION });
  if (!range) throw new Error("there is no range");
  ends.push(() => range.close());
  return range;
}

/** Adds blocks of the chain to a range, both ends included. */
export async function fill({ index }: OpenRange, from: number, to: number): Promise<void> {
  await index.append(blocks(from, to + 1, at(from - 1)), tokensOf(from));
}

/** Leases a range and completes it. */
export async function takeWhole(index: ChainIndex, number: number, ends: Ends): Promise<void> {
  const range = await take(index, number, number, ends);
  await range.index.open();
  await fill(range, range.first, range.first + 3);
  await fill(range, range.first + 4, range.last);
  await range.index.complete();
}

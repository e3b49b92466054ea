import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createBlocks, transferLog, word } from "../../test/fillIndex.ts";
import {
  createDatabase,
  DATABASES,
  DATABASES_AND_PARTITIONS,
  type DatabaseLocation,
  dumpIndex,
  NIGHTLY,
} from "../../test/indexDatabase.ts";
import { createRecordingLogger } from "../../test/testService.ts";
import { indexLocationOf } from "../createChainService.ts";
import {
  type BlockRow,
  type BlockRows,
  type DiscoveredToken,
  type NftTransferRow,
  NULL_ADDRESS,
  positionOf,
  type TransactionRow,
} from "../model/rows.ts";
import { APPROVAL_TOPIC, addressTopic, DEPOSIT_TOPIC } from "../model/topics.ts";
import { CheckpointConflictError } from "./indexWriter.ts";
import { type ChainIndex, openIndex } from "./openIndex.ts";

/* The same blocks, appended a few at a time and all at once, which is another way to write them. */

const [IN_TURN, AT_ONCE] = [1, 2];
const BLOCKS = 150;
const BLOCKS_PER_APPEND = 15;
/** Enough for all blocks to be appended in a thread. */
const TRANSFERS_PER_BLOCK = 15;
const COIN = `0x${"c0".repeat(20)}`;
const WRAPPED = `0x${"c1".repeat(20)}`;
const PIECES = `0x${"e7".repeat(20)}`;
const ITEMS = `0x${"e1".repeat(20)}`;
const MARKET = `0x${"3a".repeat(20)}`;
const walletOf = (number: number) => `0x${(0xaa00 + (number % 7)).toString(16).padStart(40, "0")}`;
const TOKENS: DiscoveredToken[] = [
  { address: COIN, standard: 20, position: positionOf(0, 0) },
  { address: PIECES, standard: 721, position: positionOf(0, 20) },
];

function transaction(block: number, index: number, parties: Partial<TransactionRow>): TransactionRow {
  return {
    position: positionOf(block, index),
    hash: word(block * 1_000 + index, "b"),
    from: walletOf(block),
    to: walletOf(block + 1),
    value: "1000000000000000000",
    nonce: block,
    gas: "21000",
    gasPrice: "7",
    input: "0x",
    status: 1,
    cumulativeGasUsed: "21000",
    gasUsed: "21000",
    contract: null,
    root: null,
    fees: null,
    ...parties,
  };
}

function nft(block: number, index: number, change: Partial<NftTransferRow>): NftTransferRow {
  return {
    position: positionOf(block, index),
    part: 0,
    transactionIndex: 0,
    transactionHash: word(block, "d"),
    token: PIECES,
    tokenId: word(block),
    standard: 721,
    isBatch: false,
    operator: null,
    from: NULL_ADDRESS,
    to: walletOf(block),
    amount: "1",
    ...change,
  };
}

function addContents(rows: BlockRows, block: number): void {
  const details = { l1Fee: "5", l1GasUsed: "äöü\t\\" };
  const fees = { type: 2, maxFeePerGas: "9", maxPriorityFeePerGas: null, effectiveGasPrice: "8", details };
  rows.transactions.push(
    transaction(block, 0, { fees }),
    transaction(block, 1, { to: walletOf(block), input: `0x${"ab".repeat(400)}` }),
    transaction(block, 2, { to: null, contract: `0x${block.toString(16).padStart(40, "f")}`, status: null }),
  );
  for (let i = 0; i < TRANSFERS_PER_BLOCK; i++) {
    // Some wallets send to themselves, and the first ones have nothing to send.
    const [from, to] = i === 0 ? [NULL_ADDRESS, walletOf(block)] : [walletOf(block + i), walletOf(block * i)];
    rows.logs.push(transferLog(block, i, { token: COIN, from, to, value: 1 + ((block * i) % 5) }));
  }
  const log = transferLog(block, 15, { token: WRAPPED, from: walletOf(block), to: walletOf(block) });
  rows.logs.push(
    { ...log, topics: [DEPOSIT_TOPIC, addressTopic(walletOf(block))] },
    { ...log, position: positionOf(block, 16), topics: [], data: "0x", isErc20: false },
    { ...log, position: positionOf(block, 17), topics: [APPROVAL_TOPIC, word(1), word(2)], isErc20: false },
  );
  rows.nftTransfers.push(nft(block, 20, {}));
  // Every third time from a wallet that does not own it, and at the end burned.
  const owner = walletOf(block % 3 === 0 ? block : block - 5);
  if (block >= 5)
    rows.nftTransfers.push(
      nft(block, 21, { tokenId: word(block - 5), from: owner, to: walletOf(block + 1) }),
    );
  if (block >= 9)
    rows.nftTransfers.push(
      nft(block, 22, { tokenId: word(block - 9), from: walletOf(block - 3), to: NULL_ADDRESS }),
    );
  const batch = { token: ITEMS, standard: 1155 as const, isBatch: true, operator: walletOf(block) };
  for (const part of [0, 1])
    rows.nftTransfers.push(nft(block, 23, { ...batch, part, tokenId: word(part), amount: String(2 ** 40) }));
  rows.trades.push({
    position: positionOf(block, 24),
    transactionIndex: 0,
    transactionHash: word(block, "d"),
    token: PIECES,
    marketplace: MARKET,
    seller: owner,
    buyer: walletOf(block + 1),
    price: word(block),
    priceToken: block % 2 === 0 ? null : COIN,
    tokenIds: [String(block), "7"],
  });
  const [first, last] = [word(1_000 * block), word(1_000 * block + 9)];
  rows.nftUpdates.push({ token: PIECES, first, last, position: positionOf(block, 25) });
  if (block % 50 === 0)
    rows.nftRanges.push({
      ...{ position: positionOf(block, 26), token: ITEMS, first, last },
      ...{ from: NULL_ADDRESS, to: walletOf(block) },
    });
  rows.internalTransfers?.push({
    position: positionOf(block, 0),
    part: 0,
    from: walletOf(block),
    to: walletOf(block * 2),
    value: "3",
    isCreation: false,
  });
}

function blocks(from: number, to: number, parent?: BlockRow): BlockRows {
  const rows = createBlocks(from, to, parent, () => undefined);
  rows.internalTransfers = [];
  for (let block = from; block < to; block++) addContents(rows, block);
  return rows;
}

describe.each(NIGHTLY ? DATABASES_AND_PARTITIONS : DATABASES)("%s", (name) => {
  let database: DatabaseLocation;
  let remove: () => Promise<void>;
  const indexes: ChainIndex[] = [];

  beforeEach(async () => {
    ({ location: database, remove } = await createDatabase(name));
  });
  afterEach(async () => {
    for (const index of indexes.splice(0)) await index.close();
    await remove();
  });

  async function open(chainId: number): Promise<ChainIndex> {
    const index = await openIndex(indexLocationOf(database, chainId), createRecordingLogger());
    indexes.push(index);
    await expect.poll(() => index.isLeader(), { timeout: 30_000, interval: 20 }).toBe(true);
    await index.writer.saveProperty("making", JSON.stringify({ layout: 7, scope: "chain" }));
    return index;
  }

  it("append() writes the same index for many blocks at once as for a few at a time, and unwind() empties it", async () => {
    const { writer } = await open(IN_TURN);
    const all = blocks(0, BLOCKS);
    let parent: BlockRow | undefined;
    for (let from = 0; from < BLOCKS; from += BLOCKS_PER_APPEND) {
      const rows = blocks(from, from + BLOCKS_PER_APPEND, parent);
      await writer.append(parent, rows, from === 0 ? TOKENS : []);
      parent = rows.blocks.at(-1);
    }
    const other = await open(AT_ONCE);
    other.writer.prepare?.(all, TOKENS);
    await other.writer.append(undefined, all, TOKENS);
    const dump = await dumpIndex(database, IN_TURN);
    expect(await dumpIndex(database, AT_ONCE)).toEqual(dump);
    expect(dump.logs).toHaveLength(BLOCKS * (TRANSFERS_PER_BLOCK + 3));
    expect(dump.nft_balances.length).toBeGreaterThan(0);
    expect(dump.list_counts.length).toBeGreaterThan(0);

    // The blocks do not follow the latest one, whether they were prepared or not.
    await expect(other.writer.append(undefined, all, TOKENS)).rejects.toThrow(CheckpointConflictError);
    await other.writer.unwind(-1);
    const {
      blocks: left,
      logs,
      list_counts,
      nft_balances,
      erc20_balances,
    } = await dumpIndex(database, AT_ONCE);
    expect({ left, logs, list_counts, nft_balances, erc20_balances }).toEqual({
      ...{ left: [], logs: [], list_counts: [], nft_balances: [], erc20_balances: [] },
    });
    await other.writer.append(undefined, all, TOKENS);
    expect(await dumpIndex(database, AT_ONCE)).toEqual(dump);
  });
});

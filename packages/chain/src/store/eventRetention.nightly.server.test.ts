import { afterEach, describe, expect, it } from "vitest";
import { createBlocks, transferLog, word } from "../../test/fillIndex.ts";
import { createDatabase, type DatabaseLocation, dumpIndex } from "../../test/indexDatabase.ts";
import { createRecordingLogger } from "../../test/testService.ts";
import { indexLocationOf } from "../createChainService.ts";
import {
  type BlockRow,
  type BlockRows,
  type NftTransferRow,
  NULL_ADDRESS,
  positionOf,
} from "../model/rows.ts";
import { type ChainIndex, openIndex } from "./openIndex.ts";
import { openPostgres } from "./postgresConnection.ts";

/* An index from which the events of old blocks are removed, and one that keeps all. */

const TOKEN = `0x${"ee".repeat(20)}`;
const COLLECTION = `0x${"ec".repeat(20)}`;
const WALLETS = Array.from({ length: 5 }, (_, i) => `0x${`a${i}`.repeat(20)}`);
const ALL = { offset: 0, limit: 1_000, withTotal: true };
const [RETAINED, COMPLETE] = [1, 2];
/** Blocks whose events are removed together. */
const BATCH_BLOCKS = 10;

let database: DatabaseLocation;
let remove: () => Promise<void>;
let retained: ChainIndex;
let complete: ChainIndex;

async function start(name: "SQLite" | "PostgreSQL"): Promise<void> {
  const created = await createDatabase(name);
  ({ remove } = created);
  database =
    created.location.kind === "sqlite"
      ? { ...created.location, removalBlocks: BATCH_BLOCKS }
      : created.location;
  retained = await open(RETAINED);
  complete = await open(COMPLETE);
  const making = database.kind === "sqlite" ? { layout: 7 } : { layout: 2_006, revision: 7 };
  for (const { writer } of [retained, complete])
    await writer.saveProperty("making", JSON.stringify({ ...making, scope: "chain" }));
}
afterEach(async () => {
  await retained.close();
  await complete.close();
  await remove();
});

async function open(chainId: number): Promise<ChainIndex> {
  const location = indexLocationOf(database, chainId, { partitionBlocks: BATCH_BLOCKS });
  const index = await openIndex(location, createRecordingLogger());
  await expect.poll(() => index.isLeader(), { timeout: 30_000, interval: 20 }).toBe(true);
  return index;
}

const walletOf = (number: number) => WALLETS[number % WALLETS.length] ?? NULL_ADDRESS;

function nft(block: number, part: number, id: number, from: string, to: string): NftTransferRow {
  return {
    position: positionOf(block, 1 + part),
    part: 0,
    transactionIndex: 0,
    transactionHash: word(block, "d"),
    token: COLLECTION,
    tokenId: word(id),
    standard: 721,
    isBatch: false,
    operator: null,
    from,
    to,
    amount: "1",
  };
}

/**
 * Each block mints an ERC-20 token and an NFT, and moves the one of 15 blocks before, in every third block from a wallet
 * that does not own it, as some contracts do.
 */
function blocks(from: number, to: number, parent?: BlockRow, fork?: string): BlockRows {
  return createBlocks(
    from,
    to,
    parent,
    ({ logs, nftTransfers }, block) => {
      logs.push(transferLog(block, 0, { token: TOKEN, from: NULL_ADDRESS, to: walletOf(block) }));
      nftTransfers.push(nft(block, 0, block, NULL_ADDRESS, walletOf(block)));
      const owner = walletOf(block % 3 === 0 ? block - 13 : block - 15);
      if (block >= 15) nftTransfers.push(nft(block, 1, block - 15, owner, walletOf(block + 1)));
    },
    fork,
  );
}

/** Removes all events before a block; returns whether there were any. */
async function removeBefore(block: number): Promise<boolean> {
  let isAny = false;
  for (;;) {
    const removal = await retained.removal?.removeBefore(block);
    isAny ||= removal?.isRemoved === true;
    if (!removal?.hasMore) return isAny;
  }
}

async function appendToBoth(parent: BlockRow | undefined, rows: BlockRows): Promise<void> {
  for (const { writer } of [retained, complete]) await writer.append(parent, rows, []);
}

/** What has to be the same with and without the events of old blocks. */
async function stateOf(chainId: number) {
  const dump = await dumpIndex(database, chainId);
  const { blocks, nft_balances, erc20_balances, erc20_totals, tokens, nft_metadata } = dump;
  const owners = nft_balances.filter(({ held }) => held === 1);
  return { blocks, owners, erc20_balances, erc20_totals, tokens, nft_metadata };
}

async function expectSameState(): Promise<void> {
  expect(await stateOf(RETAINED)).toEqual(await stateOf(COMPLETE));
}

describe.each(["SQLite", "PostgreSQL"] as const)("an index in %s", (name) => {
  it("removeBefore() removes rows, lengths of lists and totals of old blocks, but not what is known of tokens", async () => {
    await start(name);
    await appendToBoth(undefined, blocks(0, 45));
    const list = () => retained.store.erc20Transfers({ token: TOKEN }, ALL);
    const kept = () => retained.store.firstKeptBlock();
    expect(await removeBefore(9)).toBe(false);
    expect([await kept(), (await list()).total]).toEqual([undefined, 45]);
    // A list whose rows are counted.
    const counted = () => retained.store.nftTransfers({}, { ...ALL, limit: 0, fromBlock: 0 });
    expect((await counted()).total).toBe(75);
    expect(await removeBefore(29)).toBe(true);
    expect(await kept()).toBe(20);
    const { rows, total } = await list();
    expect([rows.length, total]).toEqual([25, 25]);
    expect(Math.min(...rows.map(({ position }) => position))).toBe(positionOf(20, 0));
    expect((await counted()).total).toBe(50);
    expect(await removeBefore(29)).toBe(false);
    await expectSameState();
    await expect(retained.writer.unwind(18)).rejects.toThrow("its events are kept from block 20 on only");
    await expectSameState();

    const owned = async ({ store }: ChainIndex) =>
      (await store.nftBalances.listBalances({ token: COLLECTION }, ALL)).rows;
    const positions = await complete.store.nftBalances.transferPositions(await owned(complete));
    expect(await removeBefore(50)).toBe(true);
    const { logs, list_counts } = await dumpIndex(database, RETAINED);
    expect([logs, list_counts]).toEqual([[], []]);
    expect(await retained.store.nftBalances.transferPositions(await owned(retained), true)).toEqual(
      positions,
    );
    const { erc20Balances } = retained.store;
    expect(await erc20Balances.tokensReceivedBy(walletOf(0), 10)).toEqual([]);
    expect(await erc20Balances.tokensHeldBy(walletOf(0), 10)).toEqual([TOKEN]);
    expect(await erc20Balances.tokensHeldBy(COLLECTION, 10)).toEqual([]);

    // Built anew, the index is complete again.
    await retained.writer.clear();
    expect(await kept()).toBeUndefined();
    await retained.writer.append(undefined, blocks(0, 45), []);
    expect((await list()).total).toBe(45);
    await expectSameState();
    expect(await removeBefore(30)).toBe(true);
  });

  it("balances and owners stay those of an index with all events, across reorganizations up to the first kept block", async () => {
    await start(name);
    const first = blocks(0, 45);
    await appendToBoth(undefined, first);
    expect(await removeBefore(30)).toBe(true);
    // The transfers of the removed blocks were the last ones of their NFTs, or had been inconsistent.
    for (const { writer } of [retained, complete]) await writer.unwind(29);
    await expectSameState();
    const parent = first.blocks[29];
    await appendToBoth(parent, blocks(30, 52, parent, "c"));
    await expectSameState();
    expect(await removeBefore(40)).toBe(true);
    for (const { writer } of [retained, complete]) await writer.unwind(43);
    await expectSameState();
  });
});

it("an index in SQLite without old events has a version that processes of earlier versions do not write", async () => {
  await start("SQLite");
  await appendToBoth(undefined, blocks(0, 45));
  expect(await removeBefore(30)).toBe(true);
  const definition = JSON.parse((await retained.store.properties()).get("making") ?? "{}");
  expect(definition.layout).toBeGreaterThan(2_000);
  expect(definition.revision).toBe(7);
});

it("an interrupted removal leaves the partitions, and is repeated after a restart", async () => {
  await start("PostgreSQL");
  const location = indexLocationOf(database, RETAINED);
  if (location.kind !== "postgres") throw new Error("the index is not on PostgreSQL");
  const pool = openPostgres(location, "writes", 2);
  await appendToBoth(undefined, blocks(0, 45));
  const partitions = () => pool`SELECT 1 FROM pg_inherits WHERE inhparent = 'logs'::regclass`;
  const before = (await partitions()).count;
  await pool.begin(async (tx) => {
    // A read that does not end: the removal gives up, having saved the last transfers of the NFTs.
    await tx`SELECT count(*) FROM trades`;
    expect(await removeBefore(30)).toBe(false);
  });
  expect((await partitions()).count).toBe(before);
  expect(await retained.store.firstKeptBlock()).toBeUndefined();
  expect((await pool`SELECT 1 FROM dropped_nfts`).count).toBeGreaterThan(0);
  await expectSameState();
  await retained.close();
  retained = await open(RETAINED);
  expect(await removeBefore(30)).toBe(true);
  expect((await partitions()).count).toBe(before - 3);
  await retained.writer.unwind(30);
  await complete.writer.unwind(30);
  await expectSameState();
  await pool.end();
});

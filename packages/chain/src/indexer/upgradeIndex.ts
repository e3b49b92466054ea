import { type DecodeContext, decodeLogs } from "../decode/decodeLogs.ts";
import type { Logger } from "../model/logger.ts";
import type { ChainStore } from "../store/chainStore.ts";
import type { IndexWriter } from "../store/indexWriter.ts";
import { OWNERS_FACT, TERM_FACT, UPGRADE_FACT } from "../store/upgradeProgress.ts";

export interface UpgradeOptions {
  store: ChainStore;
  writer: IndexWriter;
  /** Options for decoding logs. */
  context: DecodeContext;
  /** Identifies the finished index: an interrupted upgrade resumes only for the same target. */
  target: string;
  /** Whether the index contains all logs of the chain, so that sales are complete. */
  isFullIndex: boolean;
  chainName: string;
  log: Logger;
  /** Rejects if the upgrade must be aborted. */
  assertCanContinue(): Promise<void>;
}

/** Logs per batch, or those of one block if it has more. */
const LOG_BATCH_SIZE = 20_000;
const TOKEN_BATCH_SIZE = 1_000;
const LOG_EVERY_MS = 10_000;

/**
 * Upgrades an index without reading the chain again: all stored logs are decoded again, block by block, in small
 * idempotent transactions. In an index of known wallets, logs that were not fetched before are missing, so the
 * history of each wallet is indexed again.
 */
export async function upgradeIndex(options: UpgradeOptions): Promise<void> {
  const { store, writer, context, target, isFullIndex } = options;
  const newest = (await store.checkpoint())?.number ?? -1;
  let next = await savedBlock(options, UPGRADE_FACT);
  if (next === undefined) {
    next = (await store.firstBlock())?.number ?? newest + 1;
    await addSearchKeys(store, writer, newest);
    await writer.clearSums({ key: UPGRADE_FACT, value: JSON.stringify({ target, block: next }) });
  }
  await forRanges(options, next, newest, async (from, to) => {
    const { logs, transactions } = await store.blockContents(from, to);
    const { tokens, logs: decoded, ...rows } = decodeLogs(logs, { ...context, transactions });
    const changed = decoded.filter(({ isErc20 }, i) => isErc20 !== logs[i]?.isErc20);
    const derived = {
      ...rows,
      trades: isFullIndex ? rows.trades : [],
      logs: changed,
      erc20Logs: decoded.filter(({ isErc20 }) => isErc20),
    };
    const progress = { key: UPGRADE_FACT, value: JSON.stringify({ target, block: to + 1 }) };
    await writer.replaceDerivedRows({ from, to }, derived, tokens, progress);
  });
  if (!isFullIndex) await writer.restartWalletHistories(newest);
}

/**
 * Upgrades an index of which only the owners of ERC-721 tokens can be wrong. Nothing is cleared, so that other
 * processes, also of the version before, respond from it meanwhile. An index of known wallets keeps its owners.
 */
export async function upgradeOwners(options: UpgradeOptions): Promise<void> {
  await correctOwners(options, await savedBlock(options, OWNERS_FACT));
}

/** Corrects the owners of the tokens that were transferred since a block, the first one by default. */
async function correctOwners(options: UpgradeOptions, from: number | undefined): Promise<void> {
  const { store, writer, target, isFullIndex } = options;
  if (!isFullIndex) return;
  const newest = (await store.checkpoint())?.number ?? -1;
  const first = (await store.firstBlock())?.number ?? newest + 1;
  const next = Math.max(first, from ?? first);
  await forRanges(options, next, newest, (from, to) =>
    writer.correctOwners(
      { from, to },
      { key: OWNERS_FACT, value: JSON.stringify({ target, block: to + 1 }) },
    ),
  );
}

/** Deeper reorganizations are not expected, in blocks. */
const REORGANIZATION_BLOCKS = 1_000;

/**
 * Corrects what processes of an older version have written since one of this version was the leader: terms of the lease
 * without a saved number were theirs, or ended before they began to write.
 */
export async function correctAfterOlderVersion(options: UpgradeOptions, term: number): Promise<void> {
  const { store, writer, target } = options;
  const savedTerm = Number((await store.properties()).get(TERM_FACT));
  if (savedTerm === term) return;
  if (savedTerm !== term - 1) {
    const block = await savedBlock(options, OWNERS_FACT);
    await correctOwners(options, block === undefined ? undefined : block - REORGANIZATION_BLOCKS);
  }
  const next = ((await store.checkpoint())?.number ?? -1) + 1;
  await writer.saveProperty(OWNERS_FACT, JSON.stringify({ target, block: next }));
  await writer.saveProperty(TERM_FACT, String(term));
}

/** The next block of an interrupted upgrade to the same target. */
async function savedBlock({ store, target }: UpgradeOptions, key: string): Promise<number | undefined> {
  const text = (await store.properties()).get(key);
  const saved: { target: string; block: number } | undefined =
    text === undefined ? undefined : JSON.parse(text);
  return saved?.target === target ? saved.block : undefined;
}

/** Upgrades blocks in ranges of limited size. */
async function forRanges(
  { store, chainName, log, assertCanContinue }: UpgradeOptions,
  first: number,
  newest: number,
  upgrade: (from: number, to: number) => Promise<void>,
): Promise<void> {
  let next = first;
  let loggedAt = 0;
  while (next <= newest) {
    await assertCanContinue();
    if (performance.now() - loggedAt > LOG_EVERY_MS) {
      log.info("upgrading the index", { chain: chainName, block: next, of: newest });
      loggedAt = performance.now();
    }
    const last = (await store.lastBlockWithinLogLimit(next, LOG_BATCH_SIZE)) ?? newest;
    await upgrade(next, last);
    next = last + 1;
  }
}

/** Stores the metadata of all tokens again, with their search keys; it counts as outdated. */
async function addSearchKeys(store: ChainStore, writer: IndexWriter, block: number): Promise<void> {
  let tokens = await store.tokens.after(undefined, TOKEN_BATCH_SIZE);
  while (tokens.length > 0) {
    await writer.saveTokenMetadata({ tokens, block, readAt: 0 });
    tokens = await store.tokens.after(tokens.at(-1)?.address, TOKEN_BATCH_SIZE);
  }
}

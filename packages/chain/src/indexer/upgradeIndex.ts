import { type DecodeContext, decodeLogs } from "../decode/decodeLogs.ts";
import type { Logger } from "../model/logger.ts";
import type { ChainStore } from "../store/chainStore.ts";
import type { IndexWriter } from "../store/indexWriter.ts";
import { UPGRADE_FACT } from "../store/upgradeProgress.ts";

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
  const { store, writer, context, target, isFullIndex, chainName, log, assertCanContinue } = options;
  const savedText = (await store.properties()).get(UPGRADE_FACT);
  const saved: { target: string; block: number } | undefined =
    savedText === undefined ? undefined : JSON.parse(savedText);
  const newest = (await store.checkpoint())?.number ?? -1;
  let next = (await store.firstBlock())?.number ?? newest + 1;
  if (saved?.target === target) {
    next = saved.block;
  } else {
    await addSearchKeys(store, writer, newest);
    await writer.clearSums({ key: UPGRADE_FACT, value: JSON.stringify({ target, block: next }) });
  }
  let loggedAt = 0;
  while (next <= newest) {
    await assertCanContinue();
    if (performance.now() - loggedAt > LOG_EVERY_MS) {
      log.info("upgrading the index", { chain: chainName, block: next, of: newest });
      loggedAt = performance.now();
    }
    const last = (await store.lastBlockWithinLogLimit(next, LOG_BATCH_SIZE)) ?? newest;
    const { logs, transactions } = await store.blockContents(next, last);
    const { tokens, logs: decoded, ...rows } = decodeLogs(logs, { ...context, transactions });
    const changed = decoded.filter(({ isErc20 }, i) => isErc20 !== logs[i]?.isErc20);
    const derived = {
      ...rows,
      trades: isFullIndex ? rows.trades : [],
      logs: changed,
      erc20Logs: decoded.filter(({ isErc20 }) => isErc20),
    };
    const progress = { key: UPGRADE_FACT, value: JSON.stringify({ target, block: last + 1 }) };
    await writer.replaceDerivedRows({ from: next, to: last }, derived, tokens, progress);
    next = last + 1;
  }
  if (!isFullIndex) await writer.restartWalletHistories(newest);
}

/** Stores the metadata of all tokens again, with their search keys; it counts as outdated. */
async function addSearchKeys(store: ChainStore, writer: IndexWriter, block: number): Promise<void> {
  let tokens = await store.tokens.after(undefined, TOKEN_BATCH_SIZE);
  while (tokens.length > 0) {
    await writer.saveTokenMetadata({ tokens, block, readAt: 0 });
    tokens = await store.tokens.after(tokens.at(-1)?.address, TOKEN_BATCH_SIZE);
  }
}

import { type DecodeContext, decodeLogs } from "../decode/decodeLogs.ts";
import type { Logger } from "../model/logger.ts";
import type { ChainStore } from "../store/chainStore.ts";
import type { IndexWriter } from "../store/indexWriter.ts";

export interface UpgradeOptions {
  store: ChainStore;
  writer: IndexWriter;
  /** What the logs are read by now. */
  context: DecodeContext;
  /** What the finished index is to be known by: an upgrade that was interrupted resumes where it is for the same. */
  target: string;
  /** Whether the index holds every log of the chain, and so can say what was sold. */
  isWhole: boolean;
  chainName: string;
  log: Logger;
  /** Rejects where the upgrade is to end before it is done. */
  assertMayGoOn(): Promise<void>;
}

/** Logs that are read at once, or those of one block where it has more. */
const LOGS_AT_ONCE = 20_000;
const LOG_EVERY_MS = 10_000;
const PROGRESS = "upgrade";

/**
 * Brings an index up to date with what logs are read as now, without reading the chain again: every log that it holds is
 * decoded anew, block by block, in small changes that can be interrupted at any moment and made twice. In an index of known
 * wallets, logs that were not asked for before are missing: the history of each wallet is read again, beside what is there.
 */
export async function upgradeIndex(options: UpgradeOptions): Promise<void> {
  const { store, writer, context, target, isWhole, chainName, log, assertMayGoOn } = options;
  const begun = (await store.facts()).get(PROGRESS);
  const saved: { target: string; block: number } | undefined =
    begun === undefined ? undefined : JSON.parse(begun);
  const newest = (await store.checkpoint())?.number ?? -1;
  let next = saved?.target === target ? saved.block : ((await store.first())?.number ?? newest + 1);
  let loggedAt = 0;
  while (next <= newest) {
    await assertMayGoOn();
    if (performance.now() - loggedAt > LOG_EVERY_MS) {
      log.info("the index is being brought up to date", { chain: chainName, block: next, of: newest });
      loggedAt = performance.now();
    }
    const last = (await store.lastBlockWithin(next, LOGS_AT_ONCE)) ?? newest;
    const { logs, transactions } = await store.blockContents(next, last);
    const { tokens, logs: decoded, ...rows } = decodeLogs(logs, { ...context, transactions });
    const changed = decoded.filter(({ isErc20 }, i) => isErc20 !== logs[i]?.isErc20);
    const found = { ...rows, trades: isWhole ? rows.trades : [], logs: changed };
    await writer.rederive({ from: next, to: last }, found, tokens);
    next = last + 1;
    await writer.saveFact(PROGRESS, JSON.stringify({ target, block: next }));
  }
  if (!isWhole) await writer.rereadWallets(newest);
}

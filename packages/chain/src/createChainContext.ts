import { setTimeout as sleep } from "node:timers/promises";
import { ErrorCode, ProtocolError } from "@purse/protocol";
import type { ChainContext } from "./endpoints/chainContext.ts";
import type { IndexerWorker } from "./indexer/indexerWorker.ts";
import { initialStatus } from "./indexer/initialStatus.ts";
import { ContractLabels } from "./labels/contractLabels.ts";
import { ContractSources } from "./labels/contractSources.ts";
import type { ChainConfig } from "./model/chainConfig.ts";
import type { ChainStatus } from "./model/chainStatus.ts";
import type { Logger } from "./model/logger.ts";
import { ChainNode } from "./node/chainNode.ts";
import type { ChainStore } from "./store/chainStore.ts";
import { PENDING, type WatchedWallet } from "./store/indexWriter.ts";

/** How long a request waits for the history of an address, in ms. */
const HISTORY_WAIT_MS = 8_000;

/** What the endpoints use of a chain: its node, its index and what the indexer reports. */
export function createChainContext(
  config: ChainConfig,
  indexer: IndexerWorker,
  stores: Map<number, ChainStore>,
  log: Logger,
  getFirstSyncDeadline: () => number,
): ChainContext {
  const node = new ChainNode(config.id, config.rpcUrls);
  indexer.onFinalBlock((chainId, block) => {
    if (chainId === config.id) node.setFinalBlock(block);
  });
  const getStore = (): ChainStore => {
    const store = stores.get(config.id);
    if (store) return store;
    throw new ProtocolError(ErrorCode.NOT_INITIALIZED, "the data API has not been started", 503);
  };
  return {
    config,
    node,
    labels: new ContractLabels(config, log),
    sources: new ContractSources(config),
    get store() {
      return getStore();
    },
    status: () => indexer.status(config.id) ?? initialStatus(config),
    waitForFirstSync: () => waitForFirstSync(config, indexer, getFirstSyncDeadline()),
    saveTokenMetadata: (reading) => indexer.saveTokenMetadata(config.id, reading),
    refreshMetadata: (refresh) => indexer.refreshMetadata(config.id, refresh),
    async watch(addresses) {
      const end = Date.now() + HISTORY_WAIT_MS;
      let isEnqueued = false;
      for (;;) {
        // Subscribe before reading, so that no progress is missed.
        const nextHistory = waitForHistory(indexer, config.id, addresses, end - Date.now());
        try {
          const watched = await getStore().watched.get(addresses);
          if (haveHistory(watched, addresses, config)) return { isDone: true, percent: 100 };
          if (!isEnqueued && watched.length < addresses.length) indexer.watch(config.id, addresses);
          isEnqueued = true;
          if (Date.now() >= end) {
            const head = indexer.status(config.id)?.head ?? config.startBlock ?? 0;
            const percent = Math.floor(
              watched.reduce((sum, each) => sum + historyPercent(each, config, head), 0) / addresses.length,
            );
            return { isDone: false, percent };
          }
          await nextHistory.promise;
        } finally {
          nextHistory.unsubscribe();
        }
      }
    },
  };
}

/** Whether all of the addresses are watched, with their full history. */
export function haveHistory(
  watched: readonly WatchedWallet[],
  addresses: readonly string[],
  { startBlock = 0 }: ChainConfig,
): boolean {
  return watched.length === addresses.length && watched.every(({ next }) => next < startBlock);
}

/** Resolves when more history of one of the addresses has been indexed, or after `ms`. */
function waitForHistory(indexer: IndexerWorker, chainId: number, addresses: readonly string[], ms: number) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const unsubscribe = indexer.onHistory((id, updated) => {
    if (id === chainId && updated.some((address) => addresses.includes(address))) resolve();
  });
  const timer = setTimeout(resolve, Math.max(0, ms));
  return {
    promise,
    unsubscribe() {
      clearTimeout(timer);
      unsubscribe();
    },
  };
}

/** Indexed share of an address's history, 0 to 100. */
export function historyPercent(
  { since, next }: WatchedWallet,
  { startBlock = 0 }: ChainConfig,
  head: number | null,
): number {
  if (next < startBlock) return 100;
  const newestBlock = head ?? startBlock;
  if (since === PENDING) return 0;
  return Math.max(
    0,
    Math.min(99, Math.floor(((newestBlock - next) / Math.max(1, newestBlock - startBlock + 1)) * 100)),
  );
}

/** Resolves when the index is at the head or the node fails, at the latest at `deadline`. */
async function waitForFirstSync(
  { id }: ChainConfig,
  indexer: IndexerWorker,
  deadline: number,
): Promise<void> {
  const hasSynced = (status: ChainStatus | undefined): boolean =>
    status !== undefined && status.state !== "syncing";
  const remaining = deadline - Date.now();
  if (remaining <= 0 || hasSynced(indexer.status(id))) return;
  const synced = Promise.withResolvers<void>();
  const unsubscribe = indexer.onStatus((status) => {
    if (status.chain === id && hasSynced(status)) synced.resolve();
  });
  const timer = new AbortController();
  const timeout = sleep(remaining, undefined, { signal: timer.signal }).catch(() => undefined);
  await Promise.race([synced.promise, timeout]);
  timer.abort();
  unsubscribe();
}

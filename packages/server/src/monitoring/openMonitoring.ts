import { stat } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import type { ChainService } from "@purse/chain";
import type { Lifecycle } from "@purse/kernel";
import type { WorkerHealth } from "@purse/workers";
import type { DatabaseConfig } from "../config/database.ts";
import type { Config } from "../config/loadConfig.ts";
import type { DrainState } from "../core/drainState.ts";
import type { ClientAddressOf } from "../core/http/clientAddress.ts";
import type { VerifyMasterKey } from "../core/http/masterKey.ts";
import { refusedAnswers } from "../core/limits/answerSize.ts";
import type { UnsentBytes } from "../core/limits/unsentBytes.ts";
import type { Valkey } from "../core/valkey/valkey.ts";
import type { StoredBytes } from "../data/objects/storedBytes.ts";
import type { Store } from "../database/store.ts";
import type { Metrics } from "./metrics.ts";
import { createMetricsHistory, type StorageSize } from "./metricsHistory.ts";
import { createMonitoringRoutes } from "./monitoringRoutes.ts";
import { replicaProblem } from "./replicaHealth.ts";

export interface OpenMonitoringDependencies {
  config: Config;
  metrics: Metrics;
  store: Store;
  chain: Pick<ChainService, "status">;
  /** The live query server. */
  live: { size(): number; subscriptions(): number };
  feed: { delayMs(): number };
  /** The leases that processes compete for, and whether this one holds them. */
  leases(): { name: string; isHeld: boolean }[];
  /** Undefined if it is not used. */
  valkey: Pick<Valkey, "unavailableReason"> | undefined;
  drainState: DrainState;
  /** What does not work of modules. */
  moduleProblems(): string[];
  unsent: UnsentBytes;
  storedBytes: Pick<StoredBytes, "stored" | "refused">;
  /** The health of all worker threads. */
  workers(): WorkerHealth[];
  verifyMasterKey: VerifyMasterKey;
  clientAddressOf: ClientAddressOf;
  isFromTrustedProxy(message: IncomingMessage): boolean;
  lifecycle: Lifecycle;
  report(error: unknown, activity: string): void;
}

/** Starts recording the metrics of a server, and creates the endpoints that report them. */
export function openMonitoring(dependencies: OpenMonitoringDependencies) {
  const { config, metrics, store, chain, live, unsent, valkey, lifecycle, report } = dependencies;
  const { replica } = store;
  const { database } = config;
  const sources = { sockets: () => live.size(), subscriptions: () => live.subscriptions() };
  metrics.observe({
    ...sources,
    chains: () => chain.status(),
    changeLogDelayMs: () => dependencies.feed.delayMs(),
    sending: () => ({
      unsentBytes: unsent.bytes,
      endedReceivers: unsent.endedReceivers,
      refusedAnswers: refusedAnswers(),
    }),
    storedBytes: dependencies.storedBytes,
    isDatabaseAvailable: () => store.unavailableReason() === undefined,
    ...(replica && { replica }),
    ...(valkey && { isValkeyAvailable: () => valkey.unavailableReason() === undefined }),
    leases: dependencies.leases,
    workers: dependencies.workers,
  });
  const history = createMetricsHistory(
    {
      ...sources,
      storage: createStorageMeter(database, dependencies.store),
      lagBlocks: () => {
        const lags = chain.status().flatMap(({ lag }) => lag ?? []);
        return lags.length === 0 ? null : Math.max(...lags);
      },
    },
    (error) => report(error, "measuring the storage"),
  );
  lifecycle.onStop("measurements", () => history.stop());
  const routes = createMonitoringRoutes({
    metrics,
    store,
    workers: dependencies.workers,
    degradations: () =>
      [
        valkey?.unavailableReason(),
        replica && replicaProblem(replica()),
        ...dependencies.moduleProblems(),
        ...chain
          .status()
          .map(({ name, isDatabaseUnavailable }) =>
            isDatabaseUnavailable ? `The index database of the chain ${name} is not available` : undefined,
          ),
      ].flatMap((reason) => reason ?? []),
    drainState: dependencies.drainState,
    verifyMasterKey: dependencies.verifyMasterKey,
    metricsIps: config.metricsIps,
    clientAddressOf: dependencies.clientAddressOf,
    isFromTrustedProxy: dependencies.isFromTrustedProxy,
  });
  return { history, routes };
}

/** How often the size of a database on another machine is measured, in ms. */
const REMOTE_SIZE_MS = 60_000;

/** Returns a function that measures the database. */
export function createStorageMeter(
  database: DatabaseConfig,
  store: Pick<Store, "sizeBytes">,
): () => Promise<StorageSize> {
  if (database.kind === "sqlite") {
    const { path } = database;
    return async () => ({ storageBytes: await fileSize(path), walBytes: await fileSize(`${path}-wal`) });
  }
  let measuredAt = Number.NEGATIVE_INFINITY;
  let size: StorageSize = { storageBytes: null, walBytes: null };
  return async () => {
    const now = performance.now();
    if (now - measuredAt < REMOTE_SIZE_MS) return size;
    measuredAt = now;
    // While the database cannot be reached, its size is unknown.
    const storageBytes = (await store.sizeBytes?.().catch(() => null)) ?? null;
    size = { storageBytes, walBytes: null };
    return size;
  };
}

/** The size of a file in bytes; 0 if it does not exist. */
async function fileSize(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}

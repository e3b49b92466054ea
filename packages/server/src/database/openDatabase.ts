import type { Lifecycle } from "@purse/kernel";
import type { Config } from "../config/loadConfig.ts";
import { ByteBudget } from "../core/limits/byteBudget.ts";
import type { Logger } from "../core/logger.ts";
import type { Valkey } from "../core/valkey/valkey.ts";
import { LeaseManager } from "./leases/leaseManager.ts";
import { openStore } from "./openStore.ts";
import { lockDatabase } from "./sqlite/databaseLock.ts";
import type { Store } from "./store.ts";
import { traceStore } from "./traceStore.ts";
import { withValkeyMessages } from "./valkeyMessages.ts";

export interface DatabaseDependencies {
  config: Config;
  lifecycle: Lifecycle;
  logger: Logger;
  /** Wraps the store, to count its errors. */
  instrument(store: Store): Store;
  /** Passes messages between processes, too. */
  valkey: Valkey | undefined;
  /** Called when a worker thread has failed too often and is not restarted. */
  onFailed?: ((error: Error) => void) | undefined;
}

export interface Database {
  store: Store;
  leases: LeaseManager;
  /** The budget for the memory of query results and replies. */
  replyMemory: ByteBudget;
}

/** Opens the configured database. An SQLite database is locked, so that no other process opens it. */
export async function openDatabase(dependencies: DatabaseDependencies): Promise<Database> {
  const { config, lifecycle, logger, instrument, valkey, onFailed } = dependencies;
  const { database } = config;
  if (database.kind === "sqlite") {
    await lifecycle.open(
      "database lock",
      () => lockDatabase(database.path),
      (lock) => lock.release(),
    );
  }
  const replyMemory = new ByteBudget({
    maxBytes: Math.max(config.maxAnswersBytes, 2 * config.maxAnswerBytes),
    maxWaitMs: config.queryTimeoutMs,
  });
  const opened = await lifecycle.open(
    "database",
    () =>
      openStore(database, {
        logger,
        budget: replyMemory,
        queryTimeoutMs: config.queryTimeoutMs,
        maxResultBytes: config.maxAnswerBytes,
        verifiesFile: true,
        ...(onFailed && { onFailed }),
      }),
    (store) => store.close(),
  );
  const system = database.kind === "sqlite" ? "sqlite" : "postgresql";
  const instrumented = instrument(traceStore(opened, system));
  const store = valkey ? withValkeyMessages(instrumented, valkey) : instrumented;
  return { store, leases: new LeaseManager(store.leases, logger), replyMemory };
}

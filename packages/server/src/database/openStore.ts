import type { DatabaseConfig } from "../config/database.ts";
import { ByteBudget } from "../core/limits/byteBudget.ts";
import { createLogger, type Logger } from "../core/logger.ts";
import { openPostgresStore } from "./postgres/postgresStore.ts";
import { openSqliteStore } from "./sqlite/sqliteStore.ts";
import type { Store } from "./store.ts";

export interface StoreOptions {
  /** By default, background errors are written to standard error. */
  logger?: Logger;
  /** Timeout of read statements, in ms. */
  queryTimeoutMs?: number;
  /** Maximum size of a query result, in bytes. */
  maxResultBytes?: number;
  /** Budget for the memory of query results. */
  budget?: ByteBudget;
  /** Whether to check the integrity of an SQLite file when it is opened. */
  verifiesFile?: boolean;
  /** Called when a worker thread has failed too often and is not restarted. */
  onFailed?(error: Error): void;
}

const DEFAULT_QUERY_TIMEOUT_MS = 10_000;
const DEFAULT_MAX_RESULT_BYTES = 64 * 1024 * 1024;

export function openStore(config: DatabaseConfig, options: StoreOptions = {}): Promise<Store> {
  const {
    logger = createLogger({
      level: "warn",
      format: "text",
      write: (line) => process.stderr.write(`${line}\n`),
    }),
    queryTimeoutMs = DEFAULT_QUERY_TIMEOUT_MS,
    maxResultBytes = DEFAULT_MAX_RESULT_BYTES,
    budget = new ByteBudget({ maxBytes: 2 * maxResultBytes, maxWaitMs: queryTimeoutMs }),
    verifiesFile = false,
    onFailed,
  } = options;
  if (config.kind === "postgres") {
    return openPostgresStore({ ...config, logger, queryTimeoutMs, maxResultBytes, budget });
  }
  const shared = { logger, queryTimeoutMs, maxResultBytes, budget, verifiesFile };
  return openSqliteStore(config.path, { ...shared, ...(onFailed && { onFailed }) });
}

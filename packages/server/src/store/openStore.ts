import { ByteBudget } from "../limits/byteBudget.ts";
import { createLogger, type Logger } from "../observe/logger.ts";
import { openPostgresStore } from "./postgres/postgresStore.ts";
import { openSqliteStore } from "./sqlite/sqliteStore.ts";
import type { Store } from "./store.ts";

/** Which database, and where. */
export type DatabaseConfig =
  | { kind: "sqlite"; path: string }
  /** `url` as in `postgres://user:password@host:5432/database`; `connections` at most, of this process. */
  | { kind: "postgres"; url: string; connections: number; replicaUrl?: string };

export interface StoreOptions {
  /** Without one, what goes wrong in the background is written to the standard error stream. */
  log?: Logger;
  /** How long a statement that reads may run, in ms. */
  queryTimeoutMs?: number;
  /** Bytes of one answer, at most. */
  maxAnswerBytes?: number;
  /** What counts the answers that are held in memory. */
  budget?: ByteBudget;
  /** Whether the file of an SQLite database is looked through before it is used. */
  checksFile?: boolean;
  /** A thread of the store ended too often and is not restarted any more. */
  onFailed?(error: Error): void;
}

export const DEFAULT_QUERY_TIMEOUT_MS = 10_000;
export const DEFAULT_MAX_ANSWER_BYTES = 64 * 1024 * 1024;

export function openStore(config: DatabaseConfig, options: StoreOptions = {}): Promise<Store> {
  const {
    log = createLogger({ level: "warn", format: "text", write: (line) => process.stderr.write(`${line}\n`) }),
    queryTimeoutMs = DEFAULT_QUERY_TIMEOUT_MS,
    maxAnswerBytes = DEFAULT_MAX_ANSWER_BYTES,
    budget = new ByteBudget({ maxBytes: 2 * maxAnswerBytes, maxWaitMs: queryTimeoutMs }),
    checksFile = false,
    onFailed,
  } = options;
  if (config.kind === "postgres") {
    return openPostgresStore({ ...config, queryTimeoutMs, maxAnswerBytes, budget });
  }
  const shared = { log, queryTimeoutMs, maxAnswerBytes, budget, checksFile };
  return openSqliteStore(config.path, { ...shared, ...(onFailed && { onFailed }) });
}

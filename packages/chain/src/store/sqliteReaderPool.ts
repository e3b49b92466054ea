import { Worker } from "node:worker_threads";
import {
  WorkerExitedError,
  type WorkerHealth,
  type WorkerLogger,
  WorkerOverloadedError,
  WorkerPool,
  WorkerTimeoutError,
  WorkerUnavailableError,
} from "@purse/workers";
import { IndexReadError } from "./indexErrors.ts";
import { compileQuery, type IndexQuery } from "./indexQuery.ts";
import { type IndexReader, READ_LIMITS, type ReadKind, type ReadLimits, SQLITE } from "./indexReader.ts";
import { currentGroup } from "./requestGroup.ts";
import type { SqliteReadRequest, SqliteReadResponse } from "./sqliteReaderWorker.ts";

/** Threads by read category, started on demand. */
const THREADS: Readonly<Record<ReadKind, number>> = { lookup: 1, list: 2 };
/** Max reads that wait for a thread, and min waiting time before a thread has started, in ms. */
const MAX_QUEUED = 200;
const MIN_WAIT_MS = 5_000;
/** How long a read may exceed its deadline before its thread is terminated, in ms. */
const GRACE_MS = 5_000;

type Pools = Readonly<Record<ReadKind, WorkerPool<SqliteReadRequest, SqliteReadResponse>>>;

/**
 * Reads the SQLite indexes of all chains in worker threads, so that the request loop never waits for the database.
 * Lookups and lists have separate threads, which are shared fairly among request groups.
 */
export class SqliteReaderPool {
  readonly #pools: Pools;
  readonly #limits: ReadLimits;

  constructor(log: WorkerLogger, limits: ReadLimits = READ_LIMITS) {
    this.#limits = limits;
    this.#pools = { lookup: createPool("lookup", limits, log), list: createPool("list", limits, log) };
  }

  reader(path: string): IndexReader {
    return new PooledReader(path, this.#pools, this.#limits);
  }

  health(): WorkerHealth[] {
    return Object.values(this.#pools).flatMap((pool) => pool.health());
  }

  async stop(): Promise<void> {
    await Promise.all(Object.values(this.#pools).map((pool) => pool.stop()));
  }
}

function createPool(
  kind: ReadKind,
  limits: ReadLimits,
  log: WorkerLogger,
): WorkerPool<SqliteReadRequest, SqliteReadResponse> {
  return new WorkerPool({
    name: `index ${kind}s`,
    spawn: () => new Worker(new URL("./sqliteReaderWorker.ts", import.meta.url)),
    size: THREADS[kind],
    maxQueued: MAX_QUEUED,
    maxWaitMs: Math.max(MIN_WAIT_MS, limits[kind].timeoutMs),
    timeoutMs: limits[kind].timeoutMs + GRACE_MS,
    logger: log,
  });
}

class PooledReader implements IndexReader {
  readonly dialect = SQLITE;
  readonly #path: string;
  readonly #pools: Pools;
  readonly #limits: ReadLimits;

  constructor(path: string, pools: Pools, limits: ReadLimits) {
    this.#path = path;
    this.#pools = pools;
    this.#limits = limits;
  }

  async all<Row>(query: IndexQuery<Row>, kind: ReadKind = "lookup"): Promise<Row[]> {
    const { text, parameters } = compileQuery(this.dialect.compiler, query);
    const { timeoutMs, maxRows } = this.#limits[kind];
    const group = currentGroup();
    try {
      const response = await this.#pools[kind].call(
        { path: this.#path, text, parameters: [...parameters], timeoutMs, maxRows },
        { ...(group !== undefined && { group }) },
      );
      if ("rejected" in response) throw new IndexReadError("timeout", response.rejected);
      // The query determines the type of its rows.
      return response.rows as Row[];
    } catch (error) {
      throw toIndexReadError(error);
    }
  }

  change(): Promise<number> {
    return Promise.reject(new Error("this reader is read-only"));
  }

  async close(): Promise<void> {}
}

function toIndexReadError(error: unknown): unknown {
  if (error instanceof WorkerOverloadedError) return new IndexReadError("busy", error.message);
  if (error instanceof WorkerTimeoutError) return new IndexReadError("timeout", error.message);
  if (error instanceof WorkerExitedError || error instanceof WorkerUnavailableError)
    return new IndexReadError("unavailable", error.message);
  return error;
}

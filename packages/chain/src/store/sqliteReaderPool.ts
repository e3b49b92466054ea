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
import {
  type IndexReader,
  READ_LIMITS,
  type ReadKind,
  type ReadLimits,
  SQLITE,
  type SqlValue,
} from "./indexReader.ts";
import { currentGroup } from "./requestGroup.ts";
import type { SqliteReadRequest, SqliteReadResponse } from "./sqliteReaderWorker.ts";

/** Threads of each kind of read; they start with the first read that needs them. */
const THREADS: Readonly<Record<ReadKind, number>> = { lookup: 1, list: 2 };
/** Reads that may wait for a thread; each for as long as it may run, or until a thread has started, in ms. */
const MAX_QUEUED = 200;
const MIN_WAIT_MS = 5_000;
/** How much longer than its deadline a read is left to end by itself before its thread is ended, in ms. */
const GRACE_MS = 5_000;

type Pools = Readonly<Record<ReadKind, WorkerPool<SqliteReadRequest, SqliteReadResponse>>>;

/**
 * Reads the SQLite indexes of all chains in threads of their own: the request loop never waits for the database. Look-ups
 * and lists have separate threads, and within each, threads are shared fairly among those for whom is read.
 */
export class SqliteReads {
  readonly #pools: Pools;
  readonly #limits: ReadLimits;

  constructor(log: WorkerLogger, limits: ReadLimits = READ_LIMITS) {
    this.#limits = limits;
    this.#pools = { lookup: poolOf("lookup", limits, log), list: poolOf("list", limits, log) };
  }

  readerOf(path: string): IndexReader {
    return new PooledReader(path, this.#pools, this.#limits);
  }

  health(): WorkerHealth[] {
    return Object.values(this.#pools).flatMap((pool) => pool.health());
  }

  async stop(): Promise<void> {
    await Promise.all(Object.values(this.#pools).map((pool) => pool.stop()));
  }
}

function poolOf(
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

  async all<Row>(text: string, parameters: readonly SqlValue[], kind: ReadKind = "lookup"): Promise<Row[]> {
    const { timeoutMs, maxRows } = this.#limits[kind];
    const group = currentGroup();
    try {
      const response = await this.#pools[kind].call(
        { path: this.#path, text, parameters: [...parameters], timeoutMs, maxRows },
        { ...(group !== undefined && { group }) },
      );
      if ("refused" in response) throw new IndexReadError("late", response.refused);
      // What a statement answers is as its text says.
      return response.rows as Row[];
    } catch (error) {
      throw readError(error);
    }
  }

  change(): Promise<number> {
    return Promise.reject(new Error("this reader only reads"));
  }

  async close(): Promise<void> {}
}

function readError(error: unknown): unknown {
  if (error instanceof WorkerOverloadedError) return new IndexReadError("busy", error.message);
  if (error instanceof WorkerTimeoutError) return new IndexReadError("late", error.message);
  if (error instanceof WorkerExitedError || error instanceof WorkerUnavailableError)
    return new IndexReadError("down", error.message);
  return error;
}

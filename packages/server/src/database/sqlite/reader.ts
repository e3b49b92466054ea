import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { ErrorCode, ProtocolError } from "@purse/protocol";
import {
  WorkerAbortedError,
  WorkerExitedError,
  type WorkerHealth,
  WorkerOverloadedError,
  WorkerPool,
  WorkerTimeoutError,
  WorkerUnavailableError,
} from "@purse/workers";
import type { ByteBudget } from "../../core/limits/byteBudget.ts";
import { currentScope, type RequestScope } from "../../core/limits/requestScope.ts";
import type { Logger } from "../../core/logger.ts";
import { type BoundedRows, ResultMemoryLimiter } from "../resultMemoryLimiter.ts";
import type { Statement } from "../sql/statement.ts";
import { TurnResults } from "../turnResults.ts";
import { DatabaseFaultError, deserializeError, translateError } from "./errors.ts";
import { InlineReader } from "./inlineReader.ts";
import type { ReadRequest, ReadResult } from "./readerWorker.ts";
import { SharedRead } from "./sharedRead.ts";
import { StatementProfiles } from "./statementProfiles.ts";

export interface ReaderOptions {
  logger: Logger;
  /** Timeout of statements, in ms. */
  queryTimeoutMs: number;
  /** Maximum number of characters in a query result. */
  maxResultBytes: number;
  /** Budget for the memory of query results. */
  budget: ByteBudget;
  /** Called if the database is damaged. */
  onFault(error: DatabaseFaultError): void;
  /** Called when a thread has failed too often and is not restarted. */
  onFailed?(error: Error): void;
  /** Creates a worker thread. */
  spawn?(file: string): Worker;
}

function spawnReaderWorker(file: string): Worker {
  return new Worker(new URL("./readerWorker.ts", import.meta.url), { workerData: { file } });
}

/** A statement in the two dialects of interruptCheck.ts; the one for worker threads is created on demand. */
export interface ReadStatement {
  inline: Statement;
  forWorker(): Statement;
}

/** Timeout of statements in the fast pool, after which they are retried in the slow pool, in ms. */
const FAST_TIMEOUT_MS = 100;
/**
 * Time after the timeout of a statement until its thread is terminated because it reached no interrupt check, in ms.
 */
const GRACE_MS = { fast: 2_000, slow: 250 };
/** Approximate number of characters per page of a scan. */
const SCAN_CHARS = 8 * 1024 * 1024;
const MAX_QUEUED = 1_000;
/** How long a read waits for a thread before another one starts, in ms: starting takes longer than most reads. */
const GROW_AFTER_MS = 50;

/** The client that a read is for; its signal is aborted when it no longer waits. */
interface ReadClient {
  signal?: AbortSignal | undefined;
  group?: RequestScope["group"] | undefined;
}

type ReaderPool = WorkerPool<ReadRequest, ReadResult>;

/**
 * Reads rows of one text column. Statements that have proved to be fast run on the event loop, limited to a few ms and
 * small documents; all others run in worker threads. Potentially expensive ones (patterns, polygons, text search, scans
 * of all but small tables) have separate threads, which start with the first of them, so that they do not delay others.
 */
export class Reader {
  readonly #options: ReaderOptions;
  readonly #inline: InlineReader;
  readonly #fast: ReaderPool;
  readonly #slow: ReaderPool;
  /** By the inline form of the statement. */
  readonly #profiles = new StatementProfiles();
  readonly #resultMemory: ResultMemoryLimiter;
  /** Reads in worker threads that began in this turn of the event loop. */
  readonly #readsOfTurn = new TurnResults<SharedRead<BoundedRows>>(setImmediate);

  static async open(file: string, options: ReaderOptions): Promise<Reader> {
    const reader = new Reader(file, options);
    try {
      await reader.#fast.start();
      return reader;
    } catch (error) {
      await reader.close();
      throw error;
    }
  }

  private constructor(file: string, options: ReaderOptions) {
    this.#options = options;
    this.#inline = new InlineReader(file);
    this.#resultMemory = new ResultMemoryLimiter(options.budget, options.maxResultBytes);
    const cores = availableParallelism();
    this.#fast = this.#createPool("database reader", file, 1, Math.min(4, Math.max(2, cores)));
    this.#slow = this.#createPool(
      "database reader for slow queries",
      file,
      0,
      Math.max(2, Math.floor(cores / 2)),
    );
  }

  /** Returns a row by a unique key. */
  readFirst(statement: ReadStatement): string | undefined | Promise<string | undefined> {
    const rows = this.readAll(statement);
    return rows instanceof Promise ? rows.then(([row]) => row) : rows[0];
  }

  /** Returns the rows of a statement: at once if it runs on the event loop. */
  readAll(statement: ReadStatement): readonly string[] | Promise<readonly string[]> {
    const scope = currentScope();
    const rows = this.#inline.recall(statement.inline) ?? this.#readInline(statement.inline);
    if (!rows) return this.#readInWorker(statement, scope);
    this.#resultMemory.charge(rows, scope);
    return rows;
  }

  /** Runs a statement in a worker thread without an inline form. */
  async readRows(sql: string, parameters: Statement["parameters"]): Promise<readonly string[]> {
    const statement = { sql, parameters };
    return this.#readInWorker({ inline: statement, forWorker: () => statement }, currentScope());
  }

  /** Returns the first rows of a statement: fewer if they are large, but at least one if there is any. */
  async readPage(sql: string, parameters: Statement["parameters"]): Promise<string[]> {
    const { queryTimeoutMs: timeoutMs } = this.#options;
    const request = { sql, parameters, timeoutMs, maxChars: SCAN_CHARS, rejectsScan: false };
    return this.#readFrom(this.#slow, { kind: "page", ...request });
  }

  /** Returns one value of a statement that is always fast. */
  readValue(sql: string, parameters: Statement["parameters"]): string | undefined {
    try {
      return this.#inline.readValue(sql, parameters);
    } catch (error) {
      throw this.#reportFault(translateError(error));
    }
  }

  /** Returns the query plan of a statement. */
  async explain({ sql, parameters }: Statement): Promise<string[]> {
    const { queryTimeoutMs: timeoutMs } = this.#options;
    const request = { sql, parameters, timeoutMs, maxChars: SCAN_CHARS, rejectsScan: false };
    return this.#readFrom(this.#fast, { kind: "explain", ...request });
  }

  /** Has to be called after each commit, before its writer learns of it. */
  onCommit(): void {
    this.#inline.endSnapshot();
    this.#readsOfTurn.clear();
  }

  health(): WorkerHealth[] {
    return [...this.#fast.health(), ...this.#slow.health()];
  }

  async close(): Promise<void> {
    await Promise.all([this.#fast.stop(), this.#slow.stop()]);
    this.#inline.close();
  }

  #createPool(name: string, file: string, minSize: number, size: number): ReaderPool {
    const { logger, queryTimeoutMs, onFailed, spawn = spawnReaderWorker } = this.#options;
    return new WorkerPool({
      name,
      minSize,
      size,
      spawn: () => spawn(file),
      maxQueued: MAX_QUEUED,
      growAfterMs: GROW_AFTER_MS,
      maxWaitMs: queryTimeoutMs,
      timeoutMs: queryTimeoutMs,
      logger,
      deserializeError,
      ...(onFailed && { onFailed }),
    });
  }

  /** Returns undefined if the statement has to run in a thread. */
  #readInline({ sql, parameters }: Statement): readonly string[] | undefined {
    const profile = this.#profiles.get(sql);
    if (!profile.canRunInline) return undefined;
    const started = performance.now();
    try {
      const rows = this.#inline.all(sql, parameters, started);
      if (rows === "tooLarge") return undefined;
      if (rows === "timedOut") {
        profile.recordInlineDuration(performance.now() - started);
        return undefined;
      }
      profile.recordInlineDuration(performance.now() - started);
      return rows;
    } catch (error) {
      throw this.#reportFault(translateError(error));
    }
  }

  #readInWorker(statement: ReadStatement, scope: RequestScope | undefined): Promise<readonly string[]> {
    return this.#resultMemory.read(statement.inline.sql, scope, (maxChars) =>
      this.#readOnce(statement, maxChars, scope),
    );
  }

  /** Runs identical reads of a client once if they begin in one turn of the event loop. */
  #readOnce(
    statement: ReadStatement,
    maxChars: number,
    scope: RequestScope | undefined,
  ): Promise<BoundedRows> {
    const { signal, group } = scope ?? {};
    if (signal?.aborted) return this.#readWithinLimits(statement, maxChars, { signal, group });
    const { sql, parameters } = statement.inline;
    const text = `${group} ${maxChars} ${sql}`;
    let read = this.#readsOfTurn.get(text, parameters);
    if (!read || read.isAborted) {
      read = new SharedRead((shared) =>
        this.#readWithinLimits(statement, maxChars, { signal: shared, group }),
      );
      this.#readsOfTurn.set(text, parameters, read);
    }
    return read.join(signal, disconnectedError);
  }

  /** Reads in a worker thread: in the fast pool and, after a timeout, in the slow pool. */
  async #readWithinLimits(
    statement: ReadStatement,
    maxChars: number,
    client: ReadClient,
  ): Promise<BoundedRows> {
    const { sql, parameters } = statement.forWorker();
    const profile = this.#profiles.get(statement.inline.sql);
    for (const pool of profile.isSlow ? [this.#slow] : [this.#fast, this.#slow]) {
      const isLast = pool === this.#slow;
      const request: ReadRequest = {
        kind: "rows",
        sql,
        parameters,
        timeoutMs: isLast ? this.#options.queryTimeoutMs : FAST_TIMEOUT_MS,
        maxChars,
        rejectsScan: !isLast && !profile.hasRun,
      };
      try {
        const result = await this.#call(pool, request, client);
        if ("neededChars" in result) return result;
        if ("rows" in result) {
          profile.recordDuration(result.ms);
          return result;
        }
      } catch (error) {
        if (isLast || !(error instanceof WorkerTimeoutError)) throw toQueryError(error);
      }
    }
    throw queryTimeoutError();
  }

  async #readFrom(pool: ReaderPool, request: ReadRequest): Promise<string[]> {
    try {
      const result = await this.#call(pool, request, currentScope() ?? {});
      if ("rows" in result) return result.rows;
    } catch (error) {
      throw toQueryError(error);
    }
    throw queryTimeoutError();
  }

  async #call(pool: ReaderPool, request: ReadRequest, { signal, group }: ReadClient): Promise<ReadResult> {
    const canceled = signal && new Int32Array(new SharedArrayBuffer(4));
    const cancel = () => canceled && Atomics.store(canceled, 0, 1);
    signal?.addEventListener("abort", cancel, { once: true });
    try {
      return await pool.call(canceled ? { ...request, canceled } : request, {
        timeoutMs: request.timeoutMs + (pool === this.#fast ? GRACE_MS.fast : GRACE_MS.slow),
        ...(signal && { signal }),
        ...(group !== undefined && { group }),
      });
    } catch (error) {
      throw this.#reportFault(error);
    } finally {
      signal?.removeEventListener("abort", cancel);
    }
  }

  #reportFault(error: unknown): unknown {
    if (!(error instanceof DatabaseFaultError)) return error;
    this.#options.onFault(error);
    return databaseUnavailableError();
  }
}

/** The same error as for a statement timeout of PostgreSQL. */
function queryTimeoutError(): ProtocolError {
  return new ProtocolError(ErrorCode.TIMEOUT, "The query took too long");
}

function toQueryError(error: unknown): unknown {
  if (error instanceof WorkerTimeoutError) return queryTimeoutError();
  if (error instanceof WorkerAbortedError) return disconnectedError();
  if (error instanceof WorkerOverloadedError) {
    return new ProtocolError(ErrorCode.TIMEOUT, "The database is busy, try again later", 503);
  }
  if (error instanceof WorkerExitedError || error instanceof WorkerUnavailableError) {
    return databaseUnavailableError();
  }
  return error;
}

function disconnectedError(): ProtocolError {
  return new ProtocolError(ErrorCode.TIMEOUT, "The client disconnected");
}

function databaseUnavailableError(): ProtocolError {
  return new ProtocolError(
    ErrorCode.INTERNAL_SERVER_ERROR,
    "The database cannot be read, try again later",
    503,
  );
}

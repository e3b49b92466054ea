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
import type { ByteBudget } from "../../limits/byteBudget.ts";
import { currentScope, type RequestScope } from "../../limits/requestScope.ts";
import type { Logger } from "../../observe/logger.ts";
import { AnswerRoom, type BoundedRows } from "../answerRoom.ts";
import type { Statement } from "../sql/statement.ts";
import { asKnownError, DatabaseFaultError, deserializeError } from "./errors.ts";
import { InlineReader } from "./inlineReader.ts";
import type { ReadAnswer, ReadRequest } from "./readerThread.ts";
import { type StatementShape, StatementShapes } from "./statementShapes.ts";

export interface ReaderOptions {
  log: Logger;
  /** How long a statement may run, in ms. */
  queryTimeoutMs: number;
  /** Characters of one answer, at most. */
  maxAnswerBytes: number;
  /** What counts the answers that are held in memory. */
  budget: ByteBudget;
  /** The database turned out to be damaged. */
  onFault(error: DatabaseFaultError): void;
  /** A thread is not restarted any more. */
  onFailed?(error: Error): void;
  /** Makes a thread. */
  spawn?(file: string): Worker;
}

function spawnThread(file: string): Worker {
  return new Worker(new URL("./readerThread.ts", import.meta.url), { workerData: { file } });
}

/** A statement in the two forms of checkpoint.ts; the one for threads is made where it is needed. */
export interface ReadStatement {
  inline: Statement;
  thread(): Statement;
}

/** How long a statement may run among the quick ones before it goes on among the slow ones, in ms. */
const QUICK_MS = 100;
/** So long after its time limit a statement is ended together with its thread: it reaches no checkpoint. In ms. */
const GRACE_MS = { quick: 2_000, slow: 250 };
/** Characters that one page of a scan has, about. */
const SCAN_CHARS = 8 * 1024 * 1024;
const MAX_QUEUED = 1_000;

type Lane = WorkerPool<ReadRequest, ReadAnswer>;

/**
 * Reads rows of one text column. Statements that have proved to be quick run on the request loop, for a few ms and over
 * small documents; all others in threads. Those that may be expensive (patterns, polygons, text search, scans of whole
 * tables) have threads of their own, so that ordinary ones never wait for them.
 */
export class Reader {
  readonly #options: ReaderOptions;
  readonly #inline: InlineReader;
  readonly #quick: Lane;
  readonly #slow: Lane;
  /** By the text of the inline form. */
  readonly #shapes = new StatementShapes();
  readonly #room: AnswerRoom;

  static async open(file: string, options: ReaderOptions): Promise<Reader> {
    const reader = new Reader(file, options);
    try {
      await Promise.all([reader.#quick.start(), reader.#slow.start()]);
      return reader;
    } catch (error) {
      await reader.close();
      throw error;
    }
  }

  private constructor(file: string, options: ReaderOptions) {
    this.#options = options;
    this.#inline = new InlineReader(file);
    this.#room = new AnswerRoom(options.budget, options.maxAnswerBytes);
    const cores = availableParallelism();
    this.#quick = this.#createLane("database reader", file, Math.min(4, Math.max(2, cores)));
    this.#slow = this.#createLane(
      "database reader for slow queries",
      file,
      Math.max(2, Math.floor(cores / 2)),
    );
  }

  /** One row by a unique key. */
  async first(statement: ReadStatement): Promise<string | undefined> {
    const [row] = await this.all(statement);
    return row;
  }

  async all(statement: ReadStatement): Promise<string[]> {
    const scope = currentScope();
    const shape = this.#shapes.of(statement.inline.sql);
    const rows = shape.canRunInline ? this.#readInline(statement.inline, shape) : undefined;
    if (!rows) return this.#readBeside(statement, scope);
    this.#room.charge(rows, scope);
    return rows;
  }

  /** Rows of a statement that has one form alone and may take its time. */
  async rows(sql: string, parameters: Statement["parameters"]): Promise<string[]> {
    const statement = { sql, parameters };
    return this.#readBeside({ inline: statement, thread: () => statement }, currentScope());
  }

  /** The first rows of a statement of that kind: fewer where they are large, at least one where there is one. */
  async page(sql: string, parameters: Statement["parameters"]): Promise<string[]> {
    const { queryTimeoutMs: timeoutMs } = this.#options;
    const request = { sql, parameters, timeoutMs, maxChars: SCAN_CHARS, refusesScan: false };
    return this.#rowsOf(this.#slow, { kind: "page", ...request });
  }

  /** A row of a statement that is known to be quick, whatever its parameters are. */
  point(sql: string, parameters: Statement["parameters"]): string | undefined {
    try {
      return this.#inline.point(sql, parameters);
    } catch (error) {
      throw this.#noted(asKnownError(error));
    }
  }

  /** The steps by which SQLite would answer a statement. */
  async explain({ sql, parameters }: Statement): Promise<string[]> {
    const { queryTimeoutMs: timeoutMs } = this.#options;
    const request = { sql, parameters, timeoutMs, maxChars: SCAN_CHARS, refusesScan: false };
    return this.#rowsOf(this.#quick, { kind: "explain", ...request });
  }

  health(): WorkerHealth[] {
    return [...this.#quick.health(), ...this.#slow.health()];
  }

  async close(): Promise<void> {
    await Promise.all([this.#quick.stop(), this.#slow.stop()]);
    this.#inline.close();
  }

  #createLane(name: string, file: string, size: number): Lane {
    const { log, queryTimeoutMs, onFailed, spawn = spawnThread } = this.#options;
    return new WorkerPool({
      name,
      size,
      spawn: () => spawn(file),
      maxQueued: MAX_QUEUED,
      maxWaitMs: queryTimeoutMs,
      timeoutMs: queryTimeoutMs,
      log,
      deserializeError,
      ...(onFailed && { onFailed }),
    });
  }

  #readInline({ sql, parameters }: Statement, shape: StatementShape): string[] | undefined {
    const started = performance.now();
    try {
      const rows = this.#inline.all(sql, parameters, started);
      if (rows === "large") return undefined;
      if (rows === "late") {
        shape.demote();
        return undefined;
      }
      shape.learn(performance.now() - started);
      return rows;
    } catch (error) {
      throw this.#noted(asKnownError(error));
    }
  }

  #readBeside(statement: ReadStatement, scope: RequestScope | undefined): Promise<string[]> {
    return this.#room.read(statement.inline.sql, scope, (maxChars) =>
      this.#readWithin(statement, maxChars, scope),
    );
  }

  /** Reads in a thread, among the quick statements and, where that is not quick, among the slow ones. */
  async #readWithin(
    statement: ReadStatement,
    maxChars: number,
    scope: RequestScope | undefined,
  ): Promise<BoundedRows> {
    const { sql, parameters } = statement.thread();
    const shape = this.#shapes.of(statement.inline.sql);
    for (const lane of shape.isSlow ? [this.#slow] : [this.#quick, this.#slow]) {
      const isLast = lane === this.#slow;
      const request: ReadRequest = {
        kind: "rows",
        sql,
        parameters,
        timeoutMs: isLast ? this.#options.queryTimeoutMs : QUICK_MS,
        maxChars,
        refusesScan: !isLast && !shape.isKnown,
      };
      try {
        const answer = await this.#call(lane, request, scope);
        if ("neededChars" in answer) return answer;
        if ("rows" in answer) {
          shape.learn(answer.ms);
          return answer;
        }
      } catch (error) {
        if (isLast || !(error instanceof WorkerTimeoutError)) throw asQueryError(error);
      }
    }
    throw tookTooLong();
  }

  async #rowsOf(lane: Lane, request: ReadRequest): Promise<string[]> {
    try {
      const answer = await this.#call(lane, request, currentScope());
      if ("rows" in answer) return answer.rows;
    } catch (error) {
      throw asQueryError(error);
    }
    throw tookTooLong();
  }

  async #call(lane: Lane, request: ReadRequest, scope: RequestScope | undefined): Promise<ReadAnswer> {
    const signal = scope?.signal;
    const cancelled = signal && new Int32Array(new SharedArrayBuffer(4));
    const cancel = () => cancelled && Atomics.store(cancelled, 0, 1);
    signal?.addEventListener("abort", cancel, { once: true });
    try {
      return await lane.call(cancelled ? { ...request, cancelled } : request, {
        timeoutMs: request.timeoutMs + (lane === this.#quick ? GRACE_MS.quick : GRACE_MS.slow),
        ...(signal && { signal }),
        ...(scope && { group: scope.group }),
      });
    } catch (error) {
      throw this.#noted(error);
    } finally {
      signal?.removeEventListener("abort", cancel);
    }
  }

  #noted(error: unknown): unknown {
    if (!(error instanceof DatabaseFaultError)) return error;
    this.#options.onFault(error);
    return unavailable();
  }
}

/** What a statement timeout of PostgreSQL comes to. */
function tookTooLong(): ProtocolError {
  return new ProtocolError(ErrorCode.TIMEOUT, "The query took too long");
}

function asQueryError(error: unknown): unknown {
  if (error instanceof WorkerTimeoutError) return tookTooLong();
  if (error instanceof WorkerAbortedError)
    return new ProtocolError(ErrorCode.TIMEOUT, "The client went away");
  if (error instanceof WorkerOverloadedError) {
    return new ProtocolError(ErrorCode.TIMEOUT, "The database is busy, try again later", 503);
  }
  if (error instanceof WorkerExitedError || error instanceof WorkerUnavailableError) {
    return unavailable();
  }
  return error;
}

function unavailable(): ProtocolError {
  return new ProtocolError(
    ErrorCode.INTERNAL_SERVER_ERROR,
    "The database cannot be read, try again later",
    503,
  );
}

import { randomUUID } from "node:crypto";
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { CHANGES_LOGGED, CHANGES_PUBLISHED } from "../changeLog.ts";
import type { SqlParameter } from "../sql/dialect.ts";
import { WriteOutcomeUnknownError } from "../writeOutcome.ts";
import {
  ConnectionLostError,
  DatabaseBusyError,
  DatabaseUnavailableError,
  isConnectionLost,
  isIdleTimeout,
  isLockTimeout,
  isSerializationFailure,
  StatementTimeoutError,
} from "./errors.ts";
import type { ExclusivePool } from "./pools.ts";
import { type Row, type Session, type Sql, settleBoth } from "./session.ts";

/**
 * Used to determine the outcome of a transaction whose response was lost. Each writing session has a row, and every
 * transaction increments its number. If the row has the number, the transaction was committed; otherwise closing the
 * row ensures that it never will be.
 */
export const WRITE_SESSIONS_TABLE = `CREATE TABLE purse_write_sessions (
  id uuid PRIMARY KEY, last_write bigint NOT NULL, closed boolean NOT NULL DEFAULT false,
  at timestamptz NOT NULL DEFAULT clock_timestamp()) WITH (fillfactor = 50)`;

const BEGIN_SESSION = "INSERT INTO purse_write_sessions (id, last_write) VALUES (?::uuid, 0)";
/** Behind a pooler, each transaction may have another process of the server. */
const ADVANCE =
  "UPDATE purse_write_sessions SET last_write = ?, at = clock_timestamp() WHERE id = ?::uuid AND NOT closed RETURNING pg_backend_pid()";
const SET_PUBLISHED = `, set_config('${CHANGES_PUBLISHED}', 'on', true)`;
const SET_LIMITS = ", set_config('lock_timeout', ?, true), set_config('statement_timeout', ?, true)";
const CLOSE_SESSION = "UPDATE purse_write_sessions SET closed = true WHERE id = ?::uuid RETURNING last_write";
/** Rows of sessions that have been unused for a day belong to processes that have ended. */
const DELETE_OLD_SESSIONS =
  "DELETE FROM purse_write_sessions WHERE at < clock_timestamp() - interval '1 day'";

/** Maximum time for determining the outcome of a transaction and retrying it, in ms. */
const OUTCOME_TIMEOUT_MS = 30_000;
const RETRY_DELAY_MS = 100;
/**
 * How long the writes of a class are published after the database has said that one was logged. Until then it need not
 * say so again.
 */
const PUBLISHED_MS = 1_000;
/** Maximum number of attempts in case of serialization failures. */
const MAX_ATTEMPTS = 6;
/** The same if the database waited for this process for too long: it was frozen, or its work takes too long. */
const MAX_IDLE_ATTEMPTS = 3;

/** Statements of one transaction. An error of any statement aborts it. */
export interface Transaction extends Sql {
  /** The first error of the database in this transaction, after which it can only be rolled back. */
  readonly failure: unknown;
}

interface WriteSession {
  id: string;
  lastWrite: number;
}

type Attempt<T> =
  | { kind: "committed"; value: T }
  /** Nothing was written, and nothing will be. */
  | { kind: "rolledBack"; error: unknown }
  /** The session was lost before the commit was sent; `isIdle` if the database ended it because it waited for us. */
  | { kind: "interrupted"; isIdle: boolean }
  /** The session was lost during the commit; `isAtWork` if it was given up while the server worked on it. */
  | { kind: "unknown"; value: T; writeSession: string; write: number; isAtWork: boolean };

export interface TransactionOptions {
  /**
   * Whether `work` sends its statements before BEGIN is confirmed, which saves a round trip. Only for independent
   * statements whose errors `work` returns instead of rejecting.
   */
  isPipelined?: boolean;
  /** Returns the classes whose objects `work` writes, which are published if their changes may have been logged. */
  writtenClasses?: () => ReadonlySet<string>;
  /** Limits for each statement of `work` instead of those of the session, in ms. */
  limits?: StatementLimits | undefined;
}

export interface StatementLimits {
  /** For each lock that it waits for. */
  lockMs: number;
  statementMs: number;
}

/**
 * Executes transactions exactly once: if the connection is lost during a commit, the outcome is looked up, and the
 * transaction only runs again if it was not committed.
 */
export class Transactions {
  readonly #pool: ExclusivePool;
  readonly #outcomeSql: Sql;
  readonly #onChangesLogged: (classNames: ReadonlySet<string> | undefined) => void;
  readonly #writeSessions = new WeakMap<Session, WriteSession>();
  /** Until when the writes of a class are published anyway. */
  readonly #publishedUntil = new Map<string, number>();

  /**
   * `outcomeSql` is used to look up the outcome of transactions. `onChangesLogged` is called after commits that may have
   * added to the change log, with their classes if they are known.
   */
  constructor(
    pool: ExclusivePool,
    outcomeSql: Sql,
    onChangesLogged: (classNames: ReadonlySet<string> | undefined) => void = () => undefined,
  ) {
    this.#pool = pool;
    this.#outcomeSql = outcomeSql;
    this.#onChangesLogged = onChangesLogged;
  }

  /** Whether a transaction could start without waiting. */
  get hasCapacity(): boolean {
    return this.#pool.hasCapacity;
  }

  /**
   * Runs `work` in a transaction. It may be called again after a rollback. Rejects with the error of `work`, the error
   * of the database, DatabaseUnavailableError, DatabaseBusyError, StatementTimeoutError, or WriteOutcomeUnknownError.
   */
  async run<T>(work: (transaction: Transaction) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    const deadline = performance.now() + OUTCOME_TIMEOUT_MS;
    let idleAttempts = 0;
    for (let conflicts = 0; ; ) {
      const attempt = await this.#pool.withSession((session) => this.#attempt(session, work, options));
      switch (attempt.kind) {
        case "committed":
          return attempt.value;
        case "rolledBack":
          if (!isSerializationFailure(attempt.error)) throw attempt.error;
          conflicts += 1;
          if (conflicts >= MAX_ATTEMPTS) throw new DatabaseBusyError();
          await sleep(Math.random() * 20 * conflicts);
          break;
        case "unknown":
          if (!(await this.#wasCommitted(attempt, deadline))) {
            if (attempt.isAtWork) throw new StatementTimeoutError("write");
            break;
          }
          // Whether it has logged changes is not known.
          this.#onChangesLogged(options.writtenClasses?.());
          return attempt.value;
        case "interrupted":
          if (!attempt.isIdle) break;
          idleAttempts += 1;
          if (idleAttempts >= MAX_IDLE_ATTEMPTS) throw new StatementTimeoutError("write");
          break;
      }
      if (performance.now() > deadline) throw new DatabaseUnavailableError();
    }
  }

  /** Deletes the rows of old sessions. */
  async deleteOldSessions(): Promise<void> {
    await this.#outcomeSql.run(DELETE_OLD_SESSIONS, []);
  }

  async #attempt<T>(
    session: Session,
    work: (transaction: Transaction) => Promise<T>,
    { isPipelined = false, writtenClasses, limits }: TransactionOptions,
  ): Promise<Attempt<T>> {
    const transaction = new OpenTransaction(session);
    let writeSession: WriteSession;
    let value: T;
    let pid: string | undefined;
    const classNames = writtenClasses?.();
    const isPublished = this.#isPublished(classNames);
    try {
      writeSession = await this.#writeSessionOf(session);
      writeSession.lastWrite += 1;
      const began = session.begin();
      const advanced = transaction.run(
        ADVANCE + (isPublished ? SET_PUBLISHED : "") + (limits ? SET_LIMITS : ""),
        [writeSession.lastWrite, writeSession.id, ...(limits ? [limits.lockMs, limits.statementMs] : [])],
      );
      advanced.then(
        ([row]) => {
          pid = row?.[0] ?? undefined;
        },
        () => undefined,
      );
      if (!isPipelined) await settleBoth(began, advanced);
      const result = work(transaction);
      const [beginning] = await Promise.allSettled([began, advanced, result]);
      value = await result;
      // BEGIN failed, so each statement ran in its own transaction and its result is final.
      if (beginning.status === "rejected" && !session.isLost) {
        this.#publishChanges(session, classNames, isPublished);
        return { kind: "committed", value };
      }
      const [, advancedRows] = await settleBoth(began, advanced);
      if (advancedRows.length === 0)
        throw new ConnectionLostError("The row of the write session was deleted");
      if (transaction.failure !== undefined) throw transaction.failure;
    } catch (error) {
      return this.#rollBack(session, transaction.failure ?? error, pid);
    }
    try {
      const tag = await session.command("COMMIT");
      this.#publishChanges(session, classNames, isPublished);
      if (tag === "COMMIT") return { kind: "committed", value };
      return { kind: "rolledBack", error: new Error("The database rolled the transaction back") };
    } catch (error) {
      if (!isConnectionLost(error)) return { kind: "rolledBack", error };
      const { id, lastWrite } = writeSession;
      const isAtWork = await session.isAtWork(this.#outcomeSql, pid);
      return { kind: "unknown", value, writeSession: id, write: lastWrite, isAtWork };
    }
  }

  /** Whether writes of these classes are published, whether or not they are logged. */
  #isPublished(classNames: ReadonlySet<string> | undefined): boolean {
    if (!classNames || classNames.size === 0) return false;
    const now = performance.now();
    return [...classNames].every((name) => now < (this.#publishedUntil.get(name) ?? 0));
  }

  /** Publishes the classes of what the session has written if it has logged changes, or may have. */
  #publishChanges(session: Session, classNames: ReadonlySet<string> | undefined, isPublished: boolean): void {
    const isLogged = session.takeMessage(CHANGES_LOGGED);
    const until = performance.now() + PUBLISHED_MS;
    if (isLogged) for (const name of classNames ?? []) this.#publishedUntil.set(name, until);
    if (isLogged || isPublished) this.#onChangesLogged(classNames);
  }

  async #rollBack(session: Session, error: unknown, pid: string | undefined): Promise<Attempt<never>> {
    if (isConnectionLost(error)) {
      session.destroy("a transaction was interrupted");
      if (!(await session.isAtWork(this.#outcomeSql, pid)))
        return { kind: "interrupted", isIdle: isIdleTimeout(error) };
      return { kind: "rolledBack", error: new StatementTimeoutError("write") };
    }
    await session.command("ROLLBACK").catch(() => session.destroy("a transaction could not be rolled back"));
    return { kind: "rolledBack", error };
  }

  async #writeSessionOf(session: Session): Promise<WriteSession> {
    const existing = this.#writeSessions.get(session);
    if (existing) return existing;
    const began = { id: randomUUID(), lastWrite: 0 };
    await session.run(BEGIN_SESSION, [began.id]);
    this.#writeSessions.set(session, began);
    return began;
  }

  /** Waits for a transaction that may still be running, and prevents it from being committed later. */
  async #wasCommitted(
    { writeSession, write }: { writeSession: string; write: number },
    deadline: number,
  ): Promise<boolean> {
    for (;;) {
      try {
        const [row] = await this.#outcomeSql.run(CLOSE_SESSION, [writeSession]);
        // If the database does not know the session, it was restored from a copy before the session began.
        return row !== undefined && Number(row[0]) >= write;
      } catch (error) {
        if (!isLockTimeout(error) && !(error instanceof DatabaseUnavailableError) && !isConnectionLost(error))
          throw error;
        if (performance.now() > deadline) throw new WriteOutcomeUnknownError();
        await sleep(RETRY_DELAY_MS);
      }
    }
  }
}

class OpenTransaction implements Transaction {
  readonly #session: Session;
  failure: unknown;

  constructor(session: Session) {
    this.#session = session;
  }

  async run(text: string, parameters: readonly (SqlParameter | null)[]): Promise<readonly Row[]> {
    try {
      return await this.#session.run(text, parameters);
    } catch (error) {
      // Later statements fail because of the first error (25P02).
      this.failure ??= error;
      throw error;
    }
  }
}

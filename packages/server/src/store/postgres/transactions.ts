import { randomUUID } from "node:crypto";
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import type { SqlParameter } from "../sql/dialect.ts";
import { WriteOutcomeUnknownError } from "../writeOutcome.ts";
import {
  ConnectionLost,
  DatabaseBusy,
  DatabaseUnavailable,
  isConnectionLost,
  isSerializationFailure,
  sqlState,
} from "./errors.ts";
import type { ExclusivePool } from "./pools.ts";
import type { Row, Session, Sql } from "./session.ts";

/**
 * By which a transaction whose answer was lost is looked up. Each session that writes has a row; every transaction
 * moves its number on, as a part of itself. Where the row has the number the transaction was committed; where it has
 * not, closing the row makes sure that it never will be.
 */
export const WRITE_SESSIONS_TABLE = `CREATE TABLE purse_write_sessions (
  id uuid PRIMARY KEY, last_write bigint NOT NULL, closed boolean NOT NULL DEFAULT false,
  at timestamptz NOT NULL DEFAULT clock_timestamp()) WITH (fillfactor = 50)`;

const BEGIN_SESSION = "INSERT INTO purse_write_sessions (id, last_write) VALUES (?::uuid, 0)";
const MOVE_ON =
  "UPDATE purse_write_sessions SET last_write = ?, at = clock_timestamp() WHERE id = ?::uuid AND NOT closed RETURNING 1";
const CLOSE_SESSION = "UPDATE purse_write_sessions SET closed = true WHERE id = ?::uuid RETURNING last_write";
/** Sessions that nobody has used for this long are gone: whoever used one writes by another now. */
const FORGET_SESSIONS = "DELETE FROM purse_write_sessions WHERE at < clock_timestamp() - interval '1 day'";

/** How long a request waits for the outcome of its transaction, and to have it run again, in ms. */
const OUTCOME_MS = 30_000;
const PAUSE_MS = 100;
/** How often a transaction runs again that others stood in the way of. */
const ATTEMPTS = 6;

/** Statements of one transaction. What one of them is refused for ends it. */
export interface Transaction extends Sql {
  /** The first error of the database in this transaction, after which nothing of it can be committed. */
  readonly failure: unknown;
}

interface WriteSession {
  id: string;
  lastWrite: number;
}

type Attempt<T> =
  | { kind: "committed"; value: T }
  /** Nothing of it was written, and nothing will be. */
  | { kind: "refused"; error: unknown }
  /** The session was lost before it was asked to commit. */
  | { kind: "interrupted" }
  /** The session was lost while it committed. */
  | { kind: "unknown"; value: T; writeSession: string; write: number };

export interface TransactionOptions {
  /**
   * Whether `work` sends its statements before it is known that the transaction has begun, which saves a round trip. For
   * statements that do not depend on each other, and whose errors `work` answers rather than rejects with.
   */
  isPipelined?: boolean;
}

/**
 * Runs transactions so that each happens exactly once: one whose outcome is unknown because its connection was lost is
 * looked up by its id, and run again only where it was not committed.
 */
export class Transactions {
  readonly #pool: ExclusivePool;
  readonly #lookUps: Sql;
  readonly #writeSessions = new WeakMap<Session, WriteSession>();

  /** Outcomes are looked up by `lookUps`. */
  constructor(pool: ExclusivePool, lookUps: Sql) {
    this.#pool = pool;
    this.#lookUps = lookUps;
  }

  /** Whether a transaction could begin without waiting for others. */
  get hasRoom(): boolean {
    return this.#pool.hasRoom;
  }

  /**
   * Runs `work` in a transaction; it may be called again, with nothing of the call before left. Rejects with what
   * `work` rejects with, the database's error, DatabaseUnavailable, DatabaseBusy, or WriteOutcomeUnknownError.
   */
  async run<T>(work: (transaction: Transaction) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    const until = performance.now() + OUTCOME_MS;
    for (let conflicts = 0; ; ) {
      const attempt = await this.#pool.lend((session) => this.#attempt(session, work, options));
      switch (attempt.kind) {
        case "committed":
          return attempt.value;
        case "refused":
          if (!isSerializationFailure(attempt.error)) throw attempt.error;
          conflicts += 1;
          if (conflicts >= ATTEMPTS) throw new DatabaseBusy();
          await sleep(Math.random() * 20 * conflicts);
          break;
        case "unknown":
          if (await this.#wasCommitted(attempt, until)) return attempt.value;
          break;
        case "interrupted":
          break;
      }
      if (performance.now() > until) throw new DatabaseUnavailable();
    }
  }

  /** Removes the rows of sessions that ended long ago. */
  async sweep(): Promise<void> {
    await this.#lookUps.run(FORGET_SESSIONS, []);
  }

  async #attempt<T>(
    session: Session,
    work: (transaction: Transaction) => Promise<T>,
    { isPipelined = false }: TransactionOptions,
  ): Promise<Attempt<T>> {
    const transaction = new OpenTransaction(session);
    let writeSession: WriteSession;
    let value: T;
    try {
      writeSession = await this.#writeSessionOf(session);
      writeSession.lastWrite += 1;
      const begun = session.command("BEGIN");
      const movedOn = transaction.run(MOVE_ON, [writeSession.lastWrite, writeSession.id]);
      if (!isPipelined) await settled(begun, movedOn);
      const working = work(transaction);
      const [beginning] = await Promise.allSettled([begun, movedOn, working]);
      value = await working;
      // Without a transaction each statement has been one of its own: all is said about them already.
      if (beginning.status === "rejected" && !session.isLost) return { kind: "committed", value };
      const [, moved] = await settled(begun, movedOn);
      if (moved.length === 0) throw new ConnectionLost("The row of the session is gone");
      if (transaction.failure !== undefined) throw transaction.failure;
    } catch (error) {
      return this.#rollBack(session, transaction.failure ?? error);
    }
    try {
      const tag = await session.command("COMMIT");
      if (tag === "COMMIT") return { kind: "committed", value };
      return { kind: "refused", error: new Error("The database rolled the transaction back") };
    } catch (error) {
      if (!isConnectionLost(error)) return { kind: "refused", error };
      const { id, lastWrite } = writeSession;
      return { kind: "unknown", value, writeSession: id, write: lastWrite };
    }
  }

  async #rollBack(session: Session, error: unknown): Promise<Attempt<never>> {
    if (isConnectionLost(error)) {
      session.destroy("a transaction was interrupted");
      return { kind: "interrupted" };
    }
    await session.command("ROLLBACK").catch(() => session.destroy("a transaction could not be rolled back"));
    return { kind: "refused", error };
  }

  async #writeSessionOf(session: Session): Promise<WriteSession> {
    const known = this.#writeSessions.get(session);
    if (known) return known;
    const begun = { id: randomUUID(), lastWrite: 0 };
    await session.run(BEGIN_SESSION, [begun.id]);
    this.#writeSessions.set(session, begun);
    return begun;
  }

  /** Waits for a transaction that may still be under way, and sees to it that it does not commit later. */
  async #wasCommitted(
    { writeSession, write }: { writeSession: string; write: number },
    until: number,
  ): Promise<boolean> {
    for (;;) {
      try {
        const [row] = await this.#lookUps.run(CLOSE_SESSION, [writeSession]);
        // A database that does not know the session is a copy from before it began.
        return row !== undefined && Number(row[0]) >= write;
      } catch (error) {
        const isLocked = sqlState(error) === "55P03";
        if (!isLocked && !(error instanceof DatabaseUnavailable) && !isConnectionLost(error)) throw error;
        if (performance.now() > until) throw new WriteOutcomeUnknownError();
        await sleep(PAUSE_MS);
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

  async run(text: string, parameters: readonly (SqlParameter | null)[]): Promise<Row[]> {
    try {
      return await this.#session.run(text, parameters);
    } catch (error) {
      // Those that follow the first are refused for its sake (25P02).
      this.failure ??= error;
      throw error;
    }
  }
}

/** Both results, once both statements are answered. */
async function settled<A, B>(first: Promise<A>, second: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([first, second]);
  return [await first, await second];
}

import type { Write, WriteResult } from "../store.ts";
import { CommitQueue } from "./commitQueue.ts";
import {
  isLockTimeout,
  isStatementTimeout,
  namesContext,
  StatementTimeoutError,
  sqlState,
  toWriteError,
} from "./errors.ts";
import { createMany, documentOf, duplicateObjectId, executeWrite } from "./executeWrite.ts";
import { writtenClasses } from "./executeWrites.ts";
import { lockKeyOf, lockOrder } from "./lockOrder.ts";
import type { StatementLimits, Transaction, Transactions } from "./transactions.ts";

/**
 * Limits of one transaction. The number of writes limits the latency of the first; the characters of their documents, which
 * are sent together, how long they hold up the event loop.
 */
const BATCH_LIMITS = { items: 256, chars: 4 * 1024 * 1024 };
/** The same for writes that have been set aside. */
const ASIDE_LIMITS = { ...BATCH_LIMITS, items: 32 };
/** What a statement may take of the time of the writes that share its transaction. */
const SHARED_LIMITS: StatementLimits = { lockMs: 700, statementMs: 1_000 };
/** How much longer the statement that creates many objects may take, for each of them, in ms. */
const CREATE_MS = 10;

interface QueuedWrite {
  write: Write;
  /** The JSON text of what it stores, which was made in the turn of its request. */
  document: string;
  chars: number;
  onResult(result: WriteResult): void;
  onError(error: unknown): void;
}

/** A statement of a batch: creates of one class, or any other single write. */
interface BatchStatement {
  /** In the order of their results. */
  writes: QueuedWrite[];
  run(transaction: Transaction, now: number): Promise<(WriteResult | undefined)[]>;
}

type StatementOutcome = PromiseSettledResult<(WriteResult | undefined)[]>;

/**
 * Group commit: single writes that arrive during a commit share the next one, as in the embedded database. Each
 * succeeds or fails independently. A write that takes long, of a huge object or of one that another transaction has
 * locked, is canceled and set aside: it starts again in a transaction that the others do not wait for.
 */
export class GroupCommit {
  readonly #transactions: Pick<Transactions, "run">;
  readonly #clock: () => number;
  readonly #shared = new CommitQueue<QueuedWrite>(BATCH_LIMITS, (batch) =>
    this.#commit(groupStatements(batch), true),
  );
  readonly #aside = new CommitQueue<QueuedWrite>(ASIDE_LIMITS, (batch) =>
    this.#commit(groupStatements(batch), false),
  );
  /** How many writes that have been set aside wait for a table, or for a row of one. */
  readonly #contended = new Map<string, number>();

  /** `clock` returns ms since the epoch. */
  constructor(transactions: Pick<Transactions, "run">, clock: () => number) {
    this.#transactions = transactions;
    this.#clock = clock;
  }

  /** Adds a write that is a single statement. */
  add(write: Write): Promise<WriteResult[]> {
    return new Promise((resolve, reject) => {
      this.#enqueue(queuedWrite(write, (result) => resolve([result]), reject));
    });
  }

  /** Adds writes that are single statements. Resolves with the result or the error of each. */
  addEach(writes: readonly Write[]): Promise<(WriteResult | Error)[]> {
    if (writes.length === 0) return Promise.resolve([]);
    return new Promise((resolve) => {
      const outcomes: (WriteResult | Error)[] = [];
      let remaining = writes.length;
      for (const [index, write] of writes.entries()) {
        const settle = (outcome: WriteResult | Error) => {
          outcomes[index] = outcome;
          remaining -= 1;
          if (remaining === 0) resolve(outcomes);
        };
        this.#enqueue(queuedWrite(write, settle, (error) => settle(asError(error))));
      }
    });
  }

  #enqueue(queued: QueuedWrite): void {
    const key =
      this.#contended.size > 0 ? keysOf(queued.write).find((each) => this.#contended.has(each)) : undefined;
    if (key === undefined) this.#shared.add(queued);
    else this.#setAside(queued, key);
  }

  /** Adds a write to those that the others do not wait for. Until it has ended, so are all others that need `key`. */
  #setAside(queued: QueuedWrite, key: string | undefined): void {
    if (key === undefined) {
      this.#aside.add(queued);
      return;
    }
    const { onResult, onError } = queued;
    this.#contended.set(key, (this.#contended.get(key) ?? 0) + 1);
    const end = () => {
      const others = (this.#contended.get(key) ?? 1) - 1;
      if (others > 0) this.#contended.set(key, others);
      else this.#contended.delete(key);
    };
    this.#aside.add({
      ...queued,
      onResult(result) {
        end();
        onResult(result);
      },
      onError(error) {
        end();
        onError(error);
      },
    });
  }

  /**
   * Executes a batch and settles all of its writes. A statement that fails is removed, and the others run again without
   * it. A statement of a shared transaction that exceeds its limits is set aside.
   */
  async #commit(statements: BatchStatement[], isShared: boolean): Promise<void> {
    for (let remaining = statements; remaining.length > 0; ) {
      let outcomes: StatementOutcome[] = [];
      let failure: unknown;
      try {
        outcomes = await this.#transactions.run(
          async (transaction) => {
            outcomes = await Promise.allSettled(
              remaining.map((statement) => statement.run(transaction, this.#clock())),
            );
            return outcomes;
          },
          {
            isPipelined: true,
            writtenClasses: () => writtenClasses(writesOf(remaining).map(({ write }) => write)),
            limits: isShared ? sharedLimits(remaining) : undefined,
          },
        );
      } catch (error) {
        failure = error;
      }
      if (failure === undefined) return settle(remaining, outcomes);
      const statement = remaining.find((_, i) => isCauseOfFailure(outcomes[i], failure));
      const isSlow = isLockTimeout(failure) || isStatementTimeout(failure);
      const startsAgain = isShared && isSlow && !(failure instanceof StatementTimeoutError);
      if (!statement) {
        // The failure was not caused by a particular statement: a trigger has waited at the commit, for example.
        if (!startsAgain) return rejectAll(remaining, failure);
        for (const queued of writesOf(remaining)) this.#setAside(queued, undefined);
        return;
      }
      const others = remaining.filter((each) => each !== statement);
      if (isSlow) {
        const key = contendedKey(statement, failure);
        const isWaiting = (each: BatchStatement) =>
          isLockTimeout(failure) && key !== undefined && keysOfStatement(each).includes(key);
        // They would wait for the same lock.
        const slow = [statement, ...others.filter(isWaiting)];
        remaining = others.filter((each) => !isWaiting(each));
        if (startsAgain) for (const queued of writesOf(slow)) this.#setAside(queued, key);
        else if (statement.writes.length === 1 || isLockTimeout(failure)) rejectAll(slow, failure);
        // One of the objects may be huge.
        else remaining.push(...statement.writes.map((queued) => createStatement([queued])));
      } else if (statement.writes.length === 1) {
        rejectAll([statement], failure);
        remaining = others;
      } else {
        const half = Math.ceil(statement.writes.length / 2);
        // One of many creates failed: split them to find it.
        remaining = [
          createStatement(statement.writes.slice(0, half)),
          createStatement(statement.writes.slice(half)),
          ...others,
        ];
      }
    }
  }
}

function queuedWrite(
  write: Write,
  onResult: QueuedWrite["onResult"],
  onError: QueuedWrite["onError"],
): QueuedWrite {
  const document = documentOf(write);
  return { write, document, chars: document.length, onResult, onError };
}

function writesOf(statements: readonly BatchStatement[]): QueuedWrite[] {
  return statements.flatMap(({ writes }) => writes);
}

function sharedLimits(statements: readonly BatchStatement[]): StatementLimits {
  const { lockMs, statementMs } = SHARED_LIMITS;
  const mostWrites = Math.max(...statements.map(({ writes }) => writes.length));
  return { lockMs, statementMs: statementMs + CREATE_MS * mostWrites };
}

/**
 * Whether the error of a statement is the one that aborted the transaction. If the server has worked on a statement for
 * so long that its session was given up, it is the first one without an answer.
 */
function isCauseOfFailure(outcome: StatementOutcome | undefined, failure: unknown): boolean {
  if (outcome?.status !== "rejected") return false;
  if (failure instanceof StatementTimeoutError) return true;
  return outcome.reason === failure && sqlState(failure) !== undefined;
}

/** The table that a write needs, and the row. */
function keysOf(write: Write): string[] {
  const [table, row] = lockKeyOf(write);
  return row === "" ? [table] : [table, `${table} ${row}`];
}

/** Creates of a statement need the same table. */
function keysOfStatement({ writes: [first] }: BatchStatement): string[] {
  return first ? keysOf(first.write) : [];
}

/**
 * What a statement took too long for: its row, or its table if that is locked as a whole; undefined for rows that do not
 * exist yet. The database names the row of a lock in the context of the error.
 */
function contendedKey(statement: BatchStatement, failure: unknown): string | undefined {
  const [table, row] = keysOfStatement(statement);
  return isLockTimeout(failure) && !namesContext(failure) ? table : row;
}

/** Groups creates by class; the other writes follow in lock order. */
function groupStatements(batch: QueuedWrite[]): BatchStatement[] {
  const creates = new Map<string, QueuedWrite[]>();
  const others: QueuedWrite[] = [];
  for (const queued of batch) {
    const { write } = queued;
    if (write.kind !== "create") {
      others.push(queued);
      continue;
    }
    const sameClass = creates.get(write.schema.table) ?? [];
    sameClass.push(queued);
    creates.set(write.schema.table, sameClass);
  }
  const statements = [...creates]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, writes]) => createStatement(writes));
  for (const index of lockOrder(others.map(({ write }) => write))) {
    const queued = others[index];
    if (queued) statements.push(writeStatement(queued));
  }
  return statements;
}

function createStatement(writes: QueuedWrite[]): BatchStatement {
  return {
    writes,
    run: (transaction) =>
      createMany(
        transaction,
        writes.flatMap(({ write, document }) => (write.kind === "create" ? [{ write, document }] : [])),
      ),
  };
}

function writeStatement(queued: QueuedWrite): BatchStatement {
  return {
    writes: [queued],
    run: async (transaction, now) => [await executeWrite(transaction, queued.write, now, queued.document)],
  };
}

function settle(statements: BatchStatement[], outcomes: StatementOutcome[]): void {
  statements.forEach(({ writes }, i) => {
    const outcome = outcomes[i];
    writes.forEach(({ onResult, onError }, index) => {
      const result = outcome?.status === "fulfilled" ? outcome.value[index] : undefined;
      if (result) onResult(result);
      else onError(outcome?.status === "rejected" ? toWriteError(outcome.reason) : duplicateObjectId());
    });
  });
}

function rejectAll(statements: BatchStatement[], error: unknown): void {
  for (const { writes } of statements) for (const { onError } of writes) onError(toWriteError(error));
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

import { performance } from "node:perf_hooks";
import type { Write, WriteResult } from "../store.ts";
import { sqlState, toProtocolError } from "./errors.ts";
import { createMany, duplicateObjectId, executeWrite } from "./executeWrite.ts";
import { writtenClasses } from "./executeWrites.ts";
import { lockOrder } from "./lockOrder.ts";
import type { Transaction, Transactions } from "./transactions.ts";

/** Maximum number of writes in one transaction, which limits the latency of the first. */
const MAX_BATCH_SIZE = 256;
/**
 * A batch that takes longer than this probably waits for a lock, so the next one starts without waiting for it, in ms.
 */
const SLOW_MS = 50;
/** Maximum number of concurrent batches. */
const MAX_CONCURRENT_BATCHES = 3;

interface QueuedWrite {
  write: Write;
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
 * succeeds or fails independently.
 */
export class GroupCommit {
  readonly #transactions: Pick<Transactions, "run">;
  readonly #clock: () => number;
  #queue: QueuedWrite[] = [];
  /** Running batches with their start times (performance.now()). */
  readonly #running = new Set<{ startedAt: number }>();
  #startTimer: NodeJS.Timeout | undefined;
  /** Whether a batch starts at the end of this turn of the event loop. */
  #isStarting = false;

  /** `clock` returns ms since the epoch. */
  constructor(transactions: Pick<Transactions, "run">, clock: () => number) {
    this.#transactions = transactions;
    this.#clock = clock;
  }

  /** Adds a write that is a single statement. */
  add(write: Write): Promise<WriteResult[]> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ write, onResult: (result) => resolve([result]), onError: reject });
      this.#startSoon();
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
        this.#queue.push({ write, onResult: settle, onError: (error) => settle(asError(error)) });
      }
      this.#startSoon();
    });
  }

  /** The writes of one turn of the event loop form a batch; otherwise the first one would be a batch of its own. */
  #startSoon(): void {
    if (this.#isStarting) return;
    this.#isStarting = true;
    setImmediate(() => {
      this.#isStarting = false;
      this.#startNextBatch();
    });
  }

  /** Starts the next batch if none is running, or if the running ones seem to wait for locks. */
  #startNextBatch(): void {
    if (this.#queue.length === 0) return;
    const now = performance.now();
    const delays = [...this.#running].map(({ startedAt }) => startedAt + SLOW_MS - now);
    const delay = Math.max(0, ...delays);
    if (delay === 0 && this.#running.size < MAX_CONCURRENT_BATCHES) {
      void this.#runBatch(this.#queue.splice(0, MAX_BATCH_SIZE));
    } else if (this.#running.size < MAX_CONCURRENT_BATCHES && !this.#startTimer) {
      this.#startTimer = setTimeout(() => {
        this.#startTimer = undefined;
        this.#startNextBatch();
      }, delay);
      this.#startTimer.unref();
    }
  }

  async #runBatch(batch: QueuedWrite[]): Promise<void> {
    const running = { startedAt: performance.now() };
    this.#running.add(running);
    try {
      await this.#commit(groupStatements(batch));
    } finally {
      this.#running.delete(running);
      this.#startNextBatch();
    }
  }

  /**
   * Executes a batch and settles all of its writes. A statement that fails is removed, and the others run again without
   * it.
   */
  async #commit(statements: BatchStatement[]): Promise<void> {
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
          { isPipelined: true, writtenClasses: () => writtenClasses(writesOf(remaining)) },
        );
      } catch (error) {
        failure = error;
      }
      if (failure === undefined) return settle(remaining, outcomes);
      const failedIndex = remaining.findIndex((_, i) => isCauseOfFailure(outcomes[i], failure));
      const statement = remaining[failedIndex];
      // The failure was not caused by a particular statement.
      if (!statement) return rejectAll(remaining, failure);
      const others = remaining.filter((each) => each !== statement);
      if (statement.writes.length === 1) {
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

function writesOf(statements: readonly BatchStatement[]): Write[] {
  return statements.flatMap(({ writes }) => writes.map(({ write }) => write));
}

/** Whether the error of a statement is the one that aborted the transaction. */
function isCauseOfFailure(outcome: StatementOutcome | undefined, failure: unknown): boolean {
  return outcome?.status === "rejected" && outcome.reason === failure && sqlState(failure) !== undefined;
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
        writes.flatMap(({ write }) => (write.kind === "create" ? [write] : [])),
      ),
  };
}

function writeStatement(queued: QueuedWrite): BatchStatement {
  return {
    writes: [queued],
    run: async (transaction, now) => [await executeWrite(transaction, queued.write, now)],
  };
}

function settle(statements: BatchStatement[], outcomes: StatementOutcome[]): void {
  statements.forEach(({ writes }, i) => {
    const outcome = outcomes[i];
    writes.forEach(({ onResult, onError }, index) => {
      const result = outcome?.status === "fulfilled" ? outcome.value[index] : undefined;
      if (result) onResult(result);
      else onError(outcome?.status === "rejected" ? toProtocolError(outcome.reason) : duplicateObjectId());
    });
  });
}

function rejectAll(statements: BatchStatement[], error: unknown): void {
  for (const { writes } of statements) for (const { onError } of writes) onError(toProtocolError(error));
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

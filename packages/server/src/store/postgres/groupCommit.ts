import { performance } from "node:perf_hooks";
import type { Write, WriteResult } from "../store.ts";
import { alreadyThere, apply, createMany } from "./apply.ts";
import { asProtocolError, sqlState } from "./errors.ts";
import { lockOrder } from "./lockOrder.ts";
import type { Transaction, Transactions } from "./transactions.ts";

/** Writes of one transaction at most, so that the first of them does not wait for long. */
const MAX_GROUP = 256;
/** A group that takes longer than this waits for something: the next does not wait for it, in ms. */
const SLOW_MS = 50;
/** Groups that run side by side, at most. */
const MAX_GROUPS = 3;

interface Waiting {
  write: Write;
  resolve(results: WriteResult[]): void;
  reject(error: unknown): void;
}

/** One statement of a group: new objects of one class, or any other write. */
interface Unit {
  /** In the order of the statement. */
  of: Waiting[];
  run(transaction: Transaction, now: number): Promise<(WriteResult | undefined)[]>;
}

type UnitOutcome = PromiseSettledResult<(WriteResult | undefined)[]>;

/**
 * Single writes that come while one is on its way to the disk share the next commit, as they do in the embedded store.
 * Each succeeds or fails by itself.
 */
export class GroupCommit {
  readonly #transactions: Transactions;
  readonly #clock: () => number;
  #waiting: Waiting[] = [];
  /** When the groups that run began (performance.now()). */
  readonly #running = new Set<{ startedAt: number }>();
  #looking: NodeJS.Timeout | undefined;

  /** `clock` in ms since the epoch. */
  constructor(transactions: Transactions, clock: () => number) {
    this.#transactions = transactions;
    this.#clock = clock;
  }

  /** For writes that are one statement. */
  add(write: Write): Promise<WriteResult[]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ write, resolve, reject });
      this.#begin();
    });
  }

  /** Begins the next group where none runs, or those that run wait for locks that others hold. */
  #begin(): void {
    if (this.#waiting.length === 0) return;
    const now = performance.now();
    const pauses = [...this.#running].map(({ startedAt }) => startedAt + SLOW_MS - now);
    const pause = Math.max(0, ...pauses);
    if (pause === 0 && this.#running.size < MAX_GROUPS) {
      void this.#run(this.#waiting.splice(0, MAX_GROUP));
    } else if (this.#running.size < MAX_GROUPS && !this.#looking) {
      this.#looking = setTimeout(() => {
        this.#looking = undefined;
        this.#begin();
      }, pause);
      this.#looking.unref();
    }
  }

  async #run(group: Waiting[]): Promise<void> {
    const running = { startedAt: performance.now() };
    this.#running.add(running);
    try {
      await this.#commit(unitsOf(group));
    } finally {
      this.#running.delete(running);
      this.#begin();
    }
  }

  /** Every unit is told its outcome: one that the database refuses is left out, and the others run again without it. */
  async #commit(units: Unit[]): Promise<void> {
    for (let left = units; left.length > 0; ) {
      let outcomes: UnitOutcome[] = [];
      let failure: unknown;
      try {
        outcomes = await this.#transactions.run(
          async (transaction) => {
            outcomes = await Promise.allSettled(left.map((unit) => unit.run(transaction, this.#clock())));
            return outcomes;
          },
          { isPipelined: true },
        );
      } catch (error) {
        failure = error;
      }
      if (failure === undefined) return settle(left, outcomes);
      const refused = left.findIndex((_, i) => isRefusal(outcomes[i], failure));
      const unit = left[refused];
      // Nothing is known that one of them would be the cause of.
      if (!unit) return rejectAll(left, failure);
      const others = left.filter((each) => each !== unit);
      if (unit.of.length === 1) {
        rejectAll([unit], failure);
        left = others;
      } else {
        const half = Math.ceil(unit.of.length / 2);
        // One of many new objects is the cause: the half that it is in is refused again.
        left = [createsOf(unit.of.slice(0, half)), createsOf(unit.of.slice(half)), ...others];
      }
    }
  }
}

/** Whether a statement's error is the one that ended the transaction. */
function isRefusal(outcome: UnitOutcome | undefined, failure: unknown): boolean {
  return outcome?.status === "rejected" && outcome.reason === failure && sqlState(failure) !== undefined;
}

/** New objects are put together by class; the others follow in the order in which rows are locked. */
function unitsOf(group: Waiting[]): Unit[] {
  const creates = new Map<string, Waiting[]>();
  const others: Waiting[] = [];
  for (const waiting of group) {
    const { write } = waiting;
    if (write.kind !== "create") {
      others.push(waiting);
      continue;
    }
    const ofClass = creates.get(write.schema.table) ?? [];
    ofClass.push(waiting);
    creates.set(write.schema.table, ofClass);
  }
  const units = [...creates].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, of]) => createsOf(of));
  for (const place of lockOrder(others.map(({ write }) => write))) {
    const waiting = others[place];
    if (waiting) units.push(unitOf(waiting));
  }
  return units;
}

function createsOf(of: Waiting[]): Unit {
  return {
    of,
    run: (transaction) =>
      createMany(
        transaction,
        of.flatMap(({ write }) => (write.kind === "create" ? [write] : [])),
      ),
  };
}

function unitOf(waiting: Waiting): Unit {
  return {
    of: [waiting],
    run: async (transaction, now) => [await apply(transaction, waiting.write, now)],
  };
}

function settle(units: Unit[], outcomes: UnitOutcome[]): void {
  units.forEach(({ of }, i) => {
    const outcome = outcomes[i];
    of.forEach(({ resolve, reject }, place) => {
      const result = outcome?.status === "fulfilled" ? outcome.value[place] : undefined;
      if (result) resolve([result]);
      else reject(outcome?.status === "rejected" ? asProtocolError(outcome.reason) : alreadyThere());
    });
  });
}

function rejectAll(units: Unit[], error: unknown): void {
  for (const { of } of units) for (const { reject } of of) reject(asProtocolError(error));
}

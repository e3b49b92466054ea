import type { Write, WriteResult } from "../store.ts";
import { apply } from "./apply.ts";
import { type Sql, sqlState, type Transaction } from "./connection.ts";

/** Writes of one transaction at most, so that the first of them does not wait for long. */
const MAX_GROUP = 64;

interface Waiting {
  write: Write;
  resolve(results: WriteResult[]): void;
  reject(error: unknown): void;
}

/**
 * Single writes that come while one is on its way to the disk share the next commit, as they do in the embedded store.
 * Each succeeds or fails by itself.
 */
export class GroupCommit {
  readonly #sql: Sql;
  readonly #inTransaction: <T>(work: (transaction: Transaction) => Promise<T>) => Promise<T>;
  #waiting: Waiting[] = [];
  #busy = false;

  constructor(sql: Sql, inTransaction: <T>(work: (transaction: Transaction) => Promise<T>) => Promise<T>) {
    this.#sql = sql;
    this.#inTransaction = inTransaction;
  }

  /** For writes that are one statement. */
  add(write: Write): Promise<WriteResult[]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ write, resolve, reject });
      if (!this.#busy) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#busy = true;
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0, MAX_GROUP);
      if (group.length === 1) await this.#each(group);
      else await this.#together(group);
    }
    this.#busy = false;
  }

  async #together(group: Waiting[]): Promise<void> {
    const now = Date.now();
    try {
      const outcomes = await this.#inTransaction(async (transaction) => {
        const all = await Promise.allSettled(group.map(({ write }) => apply(transaction, write, now)));
        // What the database refuses ends the transaction for all of them.
        const failed = all.find((each) => each.status === "rejected" && sqlState(each.reason) !== undefined);
        if (failed?.status === "rejected") throw failed.reason;
        return all;
      });
      outcomes.forEach((outcome, i) => {
        if (outcome.status === "fulfilled") group[i]?.resolve([outcome.value]);
        else group[i]?.reject(outcome.reason);
      });
    } catch {
      // One of them was refused, and the others with it: each is tried by itself, and told its own error.
      await this.#each(group);
    }
  }

  async #each(group: Waiting[]): Promise<void> {
    const now = Date.now();
    await Promise.all(
      group.map(({ write, resolve, reject }) =>
        apply(this.#sql, write, now).then((result) => resolve([result]), reject),
      ),
    );
  }
}

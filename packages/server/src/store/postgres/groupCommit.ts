import type { Write, WriteResult } from "../store.ts";
import { alreadyThere, apply, createMany } from "./apply.ts";
import { type Sql, sqlState, type Transaction } from "./connection.ts";

/** Writes of one transaction at most, so that the first of them does not wait for long. */
const MAX_GROUP = 256;

interface Waiting {
  write: Write;
  resolve(results: WriteResult[]): void;
  reject(error: unknown): void;
}

/** New objects of one class, which one statement makes. */
interface Creates {
  of: Waiting[];
  writes: Extract<Write, { kind: "create" }>[];
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
      const { creates, others } = sorted(group);
      const [only] = creates;
      if (only && creates.length === 1 && others.length === 0) {
        return settleCreates(only, await createMany(this.#sql, only.writes));
      }
      const done = await this.#inTransaction(async (transaction) => {
        const all = await Promise.allSettled([
          ...creates.map(({ writes }) => createMany(transaction, writes)),
          ...others.map(async ({ write }) => [await apply(transaction, write, now)]),
        ]);
        // What the database refuses ends the transaction for all of them.
        const failed = all.find((each) => each.status === "rejected" && sqlState(each.reason) !== undefined);
        if (failed?.status === "rejected") throw failed.reason;
        return all;
      });
      done.forEach((outcome, i) => {
        const made = creates[i];
        const other = others[i - creates.length];
        const results = outcome.status === "fulfilled" ? outcome.value : [];
        if (made) settleCreates(made, results);
        else if (outcome.status === "rejected") other?.reject(outcome.reason);
        else other?.resolve(results.filter((result) => result !== undefined));
      });
    } catch {
      // One of them was refused, and the others with it: each is tried by itself, and told its own error.
      await this.#each(group);
    }
  }

  /** Every write by itself, told its own outcome. */
  async #each(group: Waiting[]): Promise<void> {
    const now = Date.now();
    await Promise.all(
      group.map(({ write, resolve, reject }) =>
        apply(this.#sql, write, now).then((result) => resolve([result]), reject),
      ),
    );
  }
}

/** New objects are put together by class; what else there is goes by itself. */
function sorted(group: Waiting[]): { creates: Creates[]; others: Waiting[] } {
  const byTable = new Map<string, Creates>();
  const others: Waiting[] = [];
  for (const waiting of group) {
    const { write } = waiting;
    if (write.kind !== "create") {
      others.push(waiting);
      continue;
    }
    const creates = byTable.get(write.schema.table) ?? { of: [], writes: [] };
    creates.of.push(waiting);
    creates.writes.push(write);
    byTable.set(write.schema.table, creates);
  }
  return { creates: [...byTable.values()], others };
}

function settleCreates({ of }: Creates, results: (WriteResult | undefined)[]): void {
  of.forEach(({ resolve, reject }, i) => {
    const result = results[i];
    if (result) resolve([result]);
    else reject(alreadyThere());
  });
}

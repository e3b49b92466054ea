import { expect, it } from "vitest";
import type { Write } from "../store.ts";
import { GroupCommit } from "./groupCommit.ts";
import type { Transaction, TransactionOptions, Transactions } from "./transactions.ts";

/** Transactions that execute no statement. Each ends when the promise of `delays` at its position does. */
class RecordedTransactions implements Pick<Transactions, "run"> {
  /** The number of statements of each transaction. */
  readonly sizes: number[] = [];
  /** The classes that each transaction writes. */
  readonly classes: string[][] = [];
  readonly #delays: Promise<void>[];

  constructor(delays: Promise<void>[] = []) {
    this.#delays = delays;
  }

  async run<T>(
    work: (transaction: Transaction) => Promise<T>,
    { writtenClasses }: TransactionOptions = {},
  ): Promise<T> {
    this.classes.push([...(writtenClasses?.() ?? [])]);
    const index = this.sizes.push(0) - 1;
    const transaction: Transaction = {
      failure: undefined,
      run: async () => {
        this.sizes[index] = (this.sizes[index] ?? 0) + 1;
        return [];
      },
    };
    const result = await work(transaction);
    await this.#delays[index];
    return result;
  }
}

const resetCounter = (n: number): Write => ({ kind: "resetCounter", scope: "test", value: `${n}` });
const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);

it("GroupCommit commits the writes of one turn of the event loop in one transaction", async () => {
  const transactions = new RecordedTransactions();
  const commits = new GroupCommit(transactions, Date.now);
  await Promise.all(numbers(5).map((n) => commits.add(resetCounter(n))));
  expect(transactions.sizes).toEqual([5]);
});

it("GroupCommit starts another transaction for the writes beyond a batch while the first waits for a lock", async () => {
  const lock = Promise.withResolvers<void>();
  const transactions = new RecordedTransactions([lock.promise]);
  const commits = new GroupCommit(transactions, Date.now);
  const first = numbers(300).map((n) => commits.add(resetCounter(n)));
  await new Promise((resolve) => setImmediate(resolve));
  const later = commits.add(resetCounter(300));
  await later;
  lock.resolve();
  await Promise.all(first);
  expect(transactions.sizes).toEqual([256, 45]);
});

it("GroupCommit names the classes that a transaction writes", async () => {
  const transactions = new RecordedTransactions();
  const commits = new GroupCommit(transactions, Date.now);
  const deleteOf = (className: string): Write => ({
    kind: "delete",
    schema: { className, table: className, fields: {}, classLevelPermissions: {}, indexes: {} },
    id: "a",
    subjects: null,
  });
  const names = ["Post", "Comment", "Post"];
  await Promise.allSettled([
    ...names.map((name) => commits.add(deleteOf(name))),
    commits.add(resetCounter(1)),
  ]);
  expect(transactions.classes.map((classes) => classes.sort())).toEqual([["Comment", "Post"]]);
});

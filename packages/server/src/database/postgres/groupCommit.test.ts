import { ErrorCode } from "@purse/protocol";
import pg from "pg";
import { describe, expect, it } from "vitest";
import type { Write } from "../store.ts";
import { StatementTimeoutError } from "./errors.ts";
import { GroupCommit } from "./groupCommit.ts";
import type { StatementLimits, Transaction, TransactionOptions, Transactions } from "./transactions.ts";

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

interface ContendedTransaction {
  limits: StatementLimits | undefined;
  /** The rows that were written, in order. */
  rows: string[];
}

/** Transactions in which writes of some rows fail: `errorOf` returns their error. */
class ContendedTransactions implements Pick<Transactions, "run"> {
  readonly transactions: ContendedTransaction[] = [];
  readonly #errorOf: (row: string, limits: StatementLimits | undefined) => Error | undefined;

  constructor(errorOf: (row: string, limits: StatementLimits | undefined) => Error | undefined) {
    this.#errorOf = errorOf;
  }

  async run<T>(work: (transaction: Transaction) => Promise<T>, { limits }: TransactionOptions = {}) {
    const rows: string[] = [];
    this.transactions.push({ limits, rows });
    let failure: unknown;
    const result = await work({
      failure: undefined,
      run: async (_, parameters) => {
        // Of a counter, or of an object.
        const row = String(parameters[0] === "test" ? parameters[1] : parameters[0]);
        rows.push(row);
        const error = failure ?? this.#errorOf(row, limits);
        failure ??= error;
        if (error) throw error;
        return [];
      },
    });
    if (failure !== undefined) throw failure;
    return result;
  }
}

function databaseError(code: string, where?: string): pg.DatabaseError {
  const error = new pg.DatabaseError("canceling statement", 0, "error");
  error.code = code;
  if (where !== undefined) error.where = where;
  return error;
}

const LOCKED_ROW = databaseError("55P03", 'while updating tuple (0,1) in relation "Post"');
const LOCKED_TABLE = databaseError("55P03");
const TOO_LONG = databaseError("57014");
const restoreOf = (className: string, id: string): Write => ({
  kind: "restore",
  schema: { className, table: className, fields: {}, classLevelPermissions: {}, indexes: {} },
  id,
  object: { objectId: id },
  secret: {},
});

describe("GroupCommit", () => {
  it.each([
    ["takes too long", TOO_LONG],
    ["waits for a locked row", LOCKED_ROW],
    ["waits for a locked table", LOCKED_TABLE],
  ])(
    "commits the others of a batch at once if one %s, which starts again without limits",
    async (_, error) => {
      const transactions = new ContendedTransactions((row, limits) =>
        limits && row === "1" ? error : undefined,
      );
      const commits = new GroupCommit(transactions, Date.now);
      await Promise.all(numbers(3).map((n) => commits.add(restoreOf(`Class${n}`, `${n}`))));
      expect(transactions.transactions.map(({ limits, rows }) => [limits !== undefined, rows])).toEqual([
        [true, ["0", "1", "2"]],
        [true, ["0", "2"]],
        [false, ["1"]],
      ]);
    },
  );

  it("starts all writes of a batch again without limits if its commit has waited for a lock", async () => {
    const contended = new ContendedTransactions(() => undefined);
    const transactions: Pick<Transactions, "run"> = {
      async run(work, options) {
        const result = await contended.run(work, options);
        if (options?.limits) throw LOCKED_TABLE;
        return result;
      },
    };
    const commits = new GroupCommit(transactions, Date.now);
    await Promise.all(numbers(3).map((n) => commits.add(resetCounter(n))));
    expect(contended.transactions.map(({ limits }) => limits !== undefined)).toEqual([true, false]);
  });

  it("rejects a write that takes too long alone with 124, and says that nothing was written", async () => {
    const transactions = new ContendedTransactions((row) => (row === "1" ? TOO_LONG : undefined));
    const commits = new GroupCommit(transactions, Date.now);
    const [other, slow] = await Promise.allSettled([0, 1].map((n) => commits.add(resetCounter(n))));
    expect(other?.status).toBe("fulfilled");
    expect(slow).toMatchObject({
      reason: {
        code: ErrorCode.TIMEOUT,
        status: undefined,
        message: expect.stringContaining("Nothing was written"),
      },
    });
  });

  it("rejects what the server went on to work on with 124, and never runs it again", async () => {
    let isFirst = true;
    const transactions = new ContendedTransactions((row) => {
      if (row !== "0" || !isFirst) return undefined;
      isFirst = false;
      return new StatementTimeoutError("write");
    });
    const commits = new GroupCommit(transactions, Date.now);
    const [slow, other] = await Promise.allSettled([0, 1].map((n) => commits.add(resetCounter(n))));
    expect(slow).toMatchObject({ reason: { code: ErrorCode.TIMEOUT } });
    expect(other?.status).toBe("fulfilled");
    expect(transactions.transactions.map(({ rows }) => rows)).toEqual([["0", "1"], ["1"]]);
  });

  it("sets all writes of a locked table aside, also later ones, and none of other tables", async () => {
    const unlocked = Promise.withResolvers<void>();
    const started = Promise.withResolvers<void>();
    const contended = new ContendedTransactions((row, limits) =>
      limits && row.startsWith("busy") ? LOCKED_TABLE : undefined,
    );
    const transactions: Pick<Transactions, "run"> = {
      async run(work, options) {
        if (!options?.limits) {
          started.resolve();
          await unlocked.promise;
        }
        return contended.run(work, options);
      },
    };
    const commits = new GroupCommit(transactions, Date.now);
    const add = (className: string, id: string) => commits.add(restoreOf(className, id));
    const busy = [add("Busy", "busy1"), add("Busy", "busy2")];
    await add("Other", "other1");
    await started.promise;
    busy.push(add("Busy", "busy3"));
    await add("Other", "other2");
    unlocked.resolve();
    await Promise.all(busy);
    await add("Busy", "free");
    const shared = contended.transactions.filter(({ limits }) => limits).map(({ rows }) => rows);
    expect(shared.slice(1)).toEqual([["other1"], ["other2"], ["free"]]);
    const aside = contended.transactions.filter(({ limits }) => !limits).flatMap(({ rows }) => rows);
    expect(aside.toSorted()).toEqual(["busy1", "busy2", "busy3"]);
  });
});

/** An object whose JSON has about this many characters. `onSerialize` is called whenever it is serialized. */
const largeCreate = (n: number, chars: number, onSerialize: () => void): Write => ({
  kind: "create",
  schema: { className: "Large", table: "Large", fields: {}, classLevelPermissions: {}, indexes: {} },
  id: `o${n}`,
  at: "2026-01-01T00:00:00.000Z",
  object: {
    text: "x".repeat(chars),
    get n() {
      onSerialize();
      return n;
    },
  },
});

it("GroupCommit commits large objects in transactions of their own, and serializes each once, when it is added", async () => {
  const transactions = new RecordedTransactions();
  const commits = new GroupCommit(transactions, Date.now);
  const serialized: number[] = [];
  const outcomes = commits.addEach(
    numbers(4).map((n) => largeCreate(n, 3_000_000, () => serialized.push(n))),
  );
  expect(serialized).toEqual([0, 1, 2, 3]);
  await outcomes;
  expect(serialized).toEqual([0, 1, 2, 3]);
  expect(transactions.sizes).toEqual([1, 1, 1, 1]);
});

it("GroupCommit commits small objects that arrive with a large one together", async () => {
  const transactions = new RecordedTransactions();
  const commits = new GroupCommit(transactions, Date.now);
  const sizes = [10, 10, 5_000_000, 10, 10];
  await commits.addEach(sizes.map((chars, n) => largeCreate(n, chars, () => undefined)));
  // The creates of each transaction are one statement.
  expect(transactions.sizes).toEqual([1, 1, 1]);
});

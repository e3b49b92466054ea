import { performance } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import { DatabaseBusyError } from "./errors.ts";
import type { Transaction } from "./transactions.ts";

/** Maximum wait for the lock of a whole table, in ms. Requests queue behind it meanwhile. */
export const SHORT_LOCK_TIMEOUT_MS = 100;
/** How long a table may be in use before the change is given up, in ms. */
const MAX_IN_USE_MS = 3_000;
/** How long requests of the class go on between two attempts, in ms. */
const PAUSE_MS = 100;

/**
 * Limits the wait for locks until the end of a transaction that locks whole tables: all requests of a class queue behind
 * a lock that waits, for instance for a backup, which reads tables for long. Returns the previous limit.
 */
export async function limitLockWaits(transaction: Transaction): Promise<string> {
  const [row] = await transaction.run(
    `WITH previous AS MATERIALIZED (SELECT current_setting('lock_timeout') AS value)
     SELECT value, set_config('lock_timeout', ?, true) FROM previous`,
    [`${SHORT_LOCK_TIMEOUT_MS}ms`],
  );
  return String(row?.[0]);
}

/** Drops indexes with limited waits for the locks of their tables. */
export async function dropIndexes(transaction: Transaction, statements: readonly string[]): Promise<void> {
  if (statements.length === 0) return;
  const previous = await limitLockWaits(transaction);
  for (const statement of statements) await transaction.run(statement, []);
  await transaction.run("SELECT set_config('lock_timeout', ?, true)", [previous]);
}

/** Repeats a transaction for a while if a table is in use. Rejects with DatabaseBusyError if it still is. */
export async function retryWhileInUse<T>(run: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + MAX_IN_USE_MS;
  for (;;) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof DatabaseBusyError) || performance.now() > deadline) throw error;
      await delay(PAUSE_MS);
    }
  }
}

import { performance } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import { type BulkSession, openBulkSession } from "../database/postgres/bulkSession.ts";
import { LAYOUT_LOCK } from "../database/postgres/migrate.ts";

/** How long the outcome of a commit is looked up, in ms. */
const OUTCOME_TIMEOUT_MS = 60_000;
const RETRY_MS = 500;

/** The connection was lost during the commit of a restore, and the outcome could not be looked up. */
export class RestoreOutcomeUnknownError extends Error {
  override readonly name = "RestoreOutcomeUnknownError";
}

/**
 * Commits a restore, which holds the lock of the layout and has given the change log a new epoch. If the connection is
 * lost meanwhile, the epoch shows whether the restore was committed. Rejects if it was not, or with
 * RestoreOutcomeUnknownError.
 */
export async function commitRestore(
  session: BulkSession,
  url: string,
  epoch: string,
  timeoutMs = OUTCOME_TIMEOUT_MS,
): Promise<void> {
  try {
    await session.run("COMMIT", []);
  } catch (error) {
    if (!(await wasCommitted(url, epoch, performance.now() + timeoutMs, error))) throw error;
  }
}

async function wasCommitted(url: string, epoch: string, deadline: number, cause: unknown): Promise<boolean> {
  for (;;) {
    try {
      return (await loadEpoch(url)) === epoch;
    } catch (error) {
      if (performance.now() > deadline) {
        throw new RestoreOutcomeUnknownError(
          `the connection was lost during the commit, and it is unknown whether the database was replaced: ${String(error)}`,
          { cause },
        );
      }
      await delay(RETRY_MS);
    }
  }
}

/** Returns the epoch of the change log after the transaction of the restore has ended. */
async function loadEpoch(url: string): Promise<string | undefined> {
  const session = await openBulkSession(url);
  try {
    const [server] = await session.run("SELECT pg_is_in_recovery()", []);
    if (server?.[0] !== "f") throw new Error("the server is a standby");
    // The session that was lost may still commit, and holds this lock until then.
    await session.run("SELECT pg_advisory_lock(?)", [LAYOUT_LOCK]);
    const [table] = await session.run("SELECT to_regclass('purse_log_state')", []);
    if (table?.[0] == null) return undefined;
    const [row] = await session.run("SELECT epoch FROM purse_log_state", []);
    return row?.[0] == null ? undefined : String(row[0]);
  } finally {
    session.close();
  }
}

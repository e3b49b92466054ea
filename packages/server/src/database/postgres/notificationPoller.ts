import { performance } from "node:perf_hooks";
import { CHANGES_NOTIFICATION } from "../changeLog.ts";
import type { Sql } from "./session.ts";

/** The sequence that counts the notifications of all processes. */
export const NOTIFICATION_COUNT = "purse_notifications";

const POLL_MS = 1_000;

export interface NotificationPollerOptions {
  sql: Sql;
  /** Called as for a notification: with undefined if some were sent. */
  onMessage(message: string | undefined): void;
}

/**
 * Reads how many notifications were sent while they do not arrive: through a pooler, for example, that hands
 * each transaction to another session.
 */
export class NotificationPoller {
  readonly #options: NotificationPollerOptions;
  /** The last known state of the sequence; undefined if some may have been missed. */
  #version: string | undefined;
  #polledAt = Number.NEGATIVE_INFINITY;
  #startedAt = Number.NEGATIVE_INFINITY;
  #isPolling = false;

  constructor(options: NotificationPollerOptions) {
    this.#options = options;
  }

  /** Time since the last successful poll, in ms. */
  get ageMs(): number {
    return performance.now() - this.#polledAt;
  }

  /** Polls if that is due. */
  poll(): void {
    const now = performance.now();
    if (this.#isPolling || now - this.#startedAt < POLL_MS) return;
    this.#isPolling = true;
    this.#startedAt = now;
    this.#read()
      // The database is unreachable, which the age shows.
      .catch(() => undefined)
      .finally(() => {
        this.#isPolling = false;
      });
  }

  /** Notifications arrive: the next poll does not know how many. */
  reset(): void {
    this.#version = undefined;
  }

  async #read(): Promise<void> {
    const [row = []] = await this.#options.sql.run(
      `SELECT last_value, is_called FROM ${NOTIFICATION_COUNT}`,
      [],
    );
    const version = row.join();
    const isSame = version === this.#version;
    this.#version = version;
    this.#polledAt = performance.now();
    // Changes of objects are in a separate log, of which only new ones are read.
    this.#options.onMessage(isSame ? CHANGES_NOTIFICATION : undefined);
  }
}

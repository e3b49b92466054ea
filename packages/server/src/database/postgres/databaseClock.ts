import { performance } from "node:perf_hooks";
import type { Sql } from "./session.ts";

/**
 * The clock of the database: synchronized periodically and advanced by a monotonic clock in between. Processes whose
 * own clocks differ, or jump, agree on what has expired.
 */
export class DatabaseClock {
  readonly #sql: Sql;
  /** Milliseconds since the epoch at the origin of performance.now(). */
  #origin = performance.timeOrigin;
  #last = 0;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Milliseconds since the epoch. */
  readonly now = (): number => {
    const now = Math.floor(this.#origin + performance.now());
    // Small corrections must not make the clock go backwards; larger ones are applied.
    if (now < this.#last && this.#last - now < MAX_CORRECTION_MS) return this.#last;
    this.#last = now;
    return now;
  };

  async read(): Promise<void> {
    const before = performance.now();
    const [row] = await this.#sql.run("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint", []);
    const after = performance.now();
    this.#origin = Number(row?.[0]) - (before + after) / 2;
  }
}

const MAX_CORRECTION_MS = 1_000;

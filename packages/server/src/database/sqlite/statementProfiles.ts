import { StatementCache } from "../statementCache.ts";
import { isExpensive } from "./expensiveStatements.ts";

/** Maximum average duration of statements on the event loop, in ms. */
const MAX_INLINE_MS = 1.5;
/** How many times its average duration a run on the event loop counts at most. */
const MAX_GROWTH = 4;
/** Statements whose average duration exceeds this start on the slow sessions, in ms. */
const SLOW_THRESHOLD_MS = 25;
/**
 * Maximum length of statements on the event loop; longer ones have too many conditions between two interrupt checks.
 */
const MAX_INLINE_CHARS = 4_000;

/** Statistics of a statement, regardless of its parameters. */
export class StatementProfile {
  /** Whether it calls potentially expensive functions and only runs in the slow pool. */
  readonly isExpensive: boolean;
  readonly #isShort: boolean;
  #averageMs: number | undefined;

  constructor(sql: string) {
    this.isExpensive = isExpensive(sql);
    this.#isShort = sql.length <= MAX_INLINE_CHARS;
  }

  get hasRun(): boolean {
    return this.#averageMs !== undefined;
  }

  /** Whether it may run on the event loop. */
  get canRunInline(): boolean {
    return (
      this.#averageMs !== undefined && this.#averageMs <= MAX_INLINE_MS && this.#isShort && !this.isExpensive
    );
  }

  get isSlow(): boolean {
    return this.isExpensive || (this.#averageMs ?? 0) > SLOW_THRESHOLD_MS;
  }

  /** Records a duration in a thread, in ms. */
  recordDuration(ms: number): void {
    this.#averageMs = this.#averageMs === undefined ? ms : this.#averageMs * 0.8 + ms * 0.2;
  }

  /**
   * Records a duration on the event loop, in ms. A single long one counts less: most likely the process waited for a
   * core.
   */
  recordInlineDuration(ms: number): void {
    const average = this.#averageMs ?? 0;
    this.recordDuration(Math.min(ms, Math.max(MAX_INLINE_MS, MAX_GROWTH * average)));
  }
}

export class StatementProfiles {
  readonly #profiles = new StatementCache<StatementProfile>();

  get(sql: string): StatementProfile {
    const existing = this.#profiles.get(sql);
    if (existing) return existing;
    const profile = new StatementProfile(sql);
    this.#profiles.set(sql, profile);
    return profile;
  }
}

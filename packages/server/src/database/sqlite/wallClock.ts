import { performance } from "node:perf_hooks";

/** Deviation from the monotonic clock above which the system clock counts as changed, in ms. */
const JUMP_MS = 2_000;
const CHECK_MS = 500;

/** The system clock, which may be changed while the process runs. */
export class WallClock {
  readonly #onJump: (byMs: number) => void;
  readonly #checkTimer: NodeJS.Timeout;
  #offset = Date.now() - performance.now();

  /** `onJump` is called before a changed time is returned. */
  constructor(onJump: (byMs: number) => void) {
    this.#onJump = onJump;
    this.#checkTimer = setInterval(this.now, CHECK_MS).unref();
  }

  /** Milliseconds since the epoch. */
  readonly now = (): number => {
    const now = Date.now();
    const offset = now - performance.now();
    const jumpMs = offset - this.#offset;
    // Gradual adjustments are not jumps.
    this.#offset = offset;
    if (Math.abs(jumpMs) > JUMP_MS) this.#onJump(Math.round(jumpMs));
    return now;
  };

  stop(): void {
    clearInterval(this.#checkTimer);
  }
}

/** Records that expire within this time are shifted with the clock; later ones expire by the calendar, in ms. */
const MAX_SHIFTED_TTL_MS = 7 * 24 * 3_600_000;

/** Returns statements that shift expiry times after the clock was changed, so that records live as long as intended. */
export function shiftExpiryStatements(byMs: number, now: number): { sql: string; parameters: number[] }[] {
  return [
    ["purse_claims", "expires_at"],
    ["purse_counts", "until"],
    ["purse_requests", "expires_at"],
  ].map(([table, column]) => ({
    sql: `UPDATE ${table} SET ${column} = ${column} + ? WHERE ${column} < ?`,
    parameters: [byMs, now - byMs + MAX_SHIFTED_TTL_MS],
  }));
}

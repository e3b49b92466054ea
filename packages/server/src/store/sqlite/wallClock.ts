import { performance } from "node:perf_hooks";

/** A clock that differs by more than this from what has passed since it was read last was set, in ms. */
const JUMP_MS = 2_000;
const CHECK_MS = 500;

/** The machine's clock, which may be set while the process runs: forwards, backwards, by any amount. */
export class WallClock {
  readonly #onJump: (byMs: number) => void;
  readonly #checking: NodeJS.Timeout;
  #ahead = Date.now() - performance.now();

  /** `onJump` is called before anybody is told a time by the clock as it was set. */
  constructor(onJump: (byMs: number) => void) {
    this.#onJump = onJump;
    this.#checking = setInterval(this.now, CHECK_MS).unref();
  }

  /** Milliseconds since the epoch. */
  readonly now = (): number => {
    const now = Date.now();
    const ahead = now - performance.now();
    const by = ahead - this.#ahead;
    // What a clock is adjusted by little by little is no jump.
    this.#ahead = ahead;
    if (Math.abs(by) > JUMP_MS) this.#onJump(Math.round(by));
    return now;
  };

  stop(): void {
    clearInterval(this.#checking);
  }
}

/** What expires within this time moves with the clock; what lasts longer expires by the calendar, in ms. */
const SOON_MS = 7 * 24 * 3_600_000;

/** The statements by which what expires soon does so as much later as the clock was set on: it lasts as long as before. */
export function moveExpiries(byMs: number, now: number): { sql: string; parameters: number[] }[] {
  return [
    ["purse_claims", "expires_at"],
    ["purse_counts", "until"],
    ["purse_requests", "expires_at"],
  ].map(([table, column]) => ({
    sql: `UPDATE ${table} SET ${column} = ${column} + ? WHERE ${column} < ?`,
    parameters: [byMs, now - byMs + SOON_MS],
  }));
}

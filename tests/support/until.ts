import { setTimeout as pause } from "node:timers/promises";

/** How often a condition is looked at, in ms. */
const INTERVAL_MS = 20;
const WITHIN_MS = 60_000;

export interface Patience {
  /** How long at most, in ms; only broken tests reach it. */
  withinMs?: number;
  /** The error of a condition that is never true. */
  otherwise?: string | (() => string);
}

/** Waits until a condition is true and returns its value: for support that also runs outside of tests, unlike `expect.poll()`. */
export async function until<T>(
  condition: () => T | undefined | false | Promise<T | undefined | false>,
  { withinMs = WITHIN_MS, otherwise = `It did not happen within ${withinMs} ms` }: Patience = {},
): Promise<T> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const value = await condition();
    if (value !== undefined && value !== false) return value;
    if (performance.now() > deadline)
      throw new Error(typeof otherwise === "string" ? otherwise : otherwise());
    await pause(INTERVAL_MS);
  }
}

/** The polling interval of transactions, in ms. */
export const POLL_INTERVAL_MS = 1_000;
/** The maximum of the interval, which grows with failures. */
const MAX_POLL_INTERVAL_MS = 30_000;

/** The time until the next poll, in ms, after a number of failures in a row. */
export function pollInterval(pollMs: number, failures: number): number {
  return Math.min(pollMs * 2 ** failures, MAX_POLL_INTERVAL_MS);
}

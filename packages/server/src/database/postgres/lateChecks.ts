import { performance } from "node:perf_hooks";

/**
 * Calls `check` at an interval, with the time in ms by which it is late because the event loop was blocked: what arrived
 * meanwhile is read only after the timers, so that nothing can be concluded from not having received it. The timer does
 * not keep the process running.
 */
export function startChecks(intervalMs: number, check: (lateMs: number) => void): NodeJS.Timeout {
  let checkedAt = performance.now();
  return setInterval(() => {
    const now = performance.now();
    const lateMs = now - checkedAt - intervalMs;
    checkedAt = now;
    // The lateness of a busy process is less.
    check(lateMs > intervalMs ? lateMs : 0);
  }, intervalMs).unref();
}

export interface WaitOptions {
  /** Stops waiting for the wallet. */
  signal?: AbortSignal | undefined;
  /** How long to wait for the wallet, in ms; five minutes where it is left out. */
  timeoutMs?: number | undefined;
}

const DEFAULT_TIMEOUT_MS = 5 * 60_000;

/**
 * Waits for the wallet no longer than agreed. Rejects with the signal's reason, or with
 * `The wallet did not answer in time`; what the wallet says afterwards is not heard.
 */
export function withinTime<T>(
  work: Promise<T>,
  { signal, timeoutMs = DEFAULT_TIMEOUT_MS }: WaitOptions,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("The wallet did not answer in time")), timeoutMs);
    const abort = () => reject(signal?.reason ?? new Error("Connecting was cancelled"));
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort, { once: true });
    work.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    });
  });
}

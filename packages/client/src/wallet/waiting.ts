import type { Eip1193Provider } from "./eip1193.ts";

/** How long to wait for the user's approval in the wallet. */
export interface WaitOptions {
  /** Stops waiting for the wallet. */
  signal?: AbortSignal | undefined;
  /** How long to wait for the wallet, in ms; five minutes by default. */
  timeoutMs?: number | undefined;
}

const DEFAULT_TIMEOUT_MS = 5 * 60_000;
/** Timeout of requests that need no approval, in ms. */
const ANSWER_MS = 10_000;

/**
 * Waits for a promise until the timeout. Rejects with the signal's reason, or with
 * `The wallet did not answer in time`; a later result is ignored.
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

/** Sends a request that needs the user's approval, with a timeout. Does not send it if the signal is aborted. */
export async function askPeople(
  provider: Eip1193Provider,
  call: { method: string; params: readonly unknown[] },
  options: WaitOptions,
): Promise<unknown> {
  options.signal?.throwIfAborted();
  return withinTime(provider.request(call), options);
}

/** Sends a request that needs no approval. Rejects with the signal's reason, too. */
export function answerOf(
  provider: Eip1193Provider,
  call: { method: string; params?: readonly unknown[] },
  { signal }: WaitOptions = {},
): Promise<unknown> {
  return withinTime(provider.request(call), { signal, timeoutMs: ANSWER_MS });
}

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
const READ_TIMEOUT_MS = 10_000;

/**
 * Waits for a promise until the timeout. Rejects with the signal's reason, or with
 * `The wallet did not answer in time`; a later result is ignored.
 */
export function withTimeout<T>(
  promise: Promise<T>,
  { signal, timeoutMs = DEFAULT_TIMEOUT_MS }: WaitOptions,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("The wallet did not answer in time")), timeoutMs);
    const abort = () => reject(signal?.reason ?? new Error("Connecting was cancelled"));
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    });
  });
}

/** Sends a request that needs the user's approval, with a timeout. Does not send it if the signal is aborted. */
export async function requestUserApproval(
  provider: Eip1193Provider,
  call: { method: string; params: readonly unknown[] },
  options: WaitOptions,
): Promise<unknown> {
  options.signal?.throwIfAborted();
  return withTimeout(provider.request(call), options);
}

/** Sends a request that needs no approval. Rejects with the signal's reason, too. */
export function readFromWallet(
  provider: Eip1193Provider,
  call: { method: string; params?: readonly unknown[] },
  { signal }: WaitOptions = {},
): Promise<unknown> {
  return withTimeout(provider.request(call), { signal, timeoutMs: READ_TIMEOUT_MS });
}

import type { Eip1193Provider } from "./eip1193.ts";

/** How long people are waited for at their wallets. */
export interface WaitOptions {
  /** Stops waiting for the wallet. */
  signal?: AbortSignal | undefined;
  /** How long to wait for the wallet, in ms; five minutes where it is left out. */
  timeoutMs?: number | undefined;
}

const DEFAULT_TIMEOUT_MS = 5 * 60_000;
/** What nobody is asked for: wallets and their nodes answer it at once or not at all. In ms. */
const ANSWER_MS = 10_000;

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

/** Has the wallet ask people for something, and waits for them no longer than agreed. Asks nobody once that is over. */
export async function askPeople(
  provider: Eip1193Provider,
  call: { method: string; params: readonly unknown[] },
  options: WaitOptions,
): Promise<unknown> {
  options.signal?.throwIfAborted();
  return withinTime(provider.request(call), options);
}

/** What a wallet or its node knows without asking people. Rejects with the signal's reason, too. */
export function answerOf(
  provider: Eip1193Provider,
  call: { method: string; params?: readonly unknown[] },
  { signal }: WaitOptions = {},
): Promise<unknown> {
  return withinTime(provider.request(call), { signal, timeoutMs: ANSWER_MS });
}

/** Timeout of a health probe, in ms. */
const PROBE_TIMEOUT_MS = 5_000;
/** Delays between probes, in ms; the last one repeats. */
const PROBE_DELAYS_MS = [1_000, 2_000, 4_000, 8_000, 15_000] as const;

/**
 * Tracks whether the server is reachable, based on the page's own requests. After a failure it probes the server until
 * it responds. Subscribers refetch then.
 */
export class Reachability {
  readonly #probe: (signal: AbortSignal) => Promise<unknown>;
  readonly #listeners = new Set<() => void>();
  #isReachable = true;
  #probing: AbortController | undefined;

  /** `probe` rejects if the server is unreachable. */
  constructor(probe: (signal: AbortSignal) => Promise<unknown>) {
    this.#probe = probe;
  }

  readonly get = (): boolean => this.#isReachable;

  /** Calls `listener` after each change. Returns an unsubscribe function. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Reports a request without a response. */
  reportFailure(): void {
    if (this.#isReachable) this.#setReachable(false);
    if (!this.#probing) void this.#probeUntilReached();
  }

  /** Reports a response of the server. */
  reportSuccess(): void {
    this.#probing?.abort();
    this.#probing = undefined;
    if (!this.#isReachable) this.#setReachable(true);
  }

  async #probeUntilReached(): Promise<void> {
    const probing = new AbortController();
    this.#probing = probing;
    for (let round = 0; !probing.signal.aborted; round += 1) {
      await delay(PROBE_DELAYS_MS[round] ?? 15_000, probing.signal);
      if (probing.signal.aborted) return;
      const reached = await this.#probe(AbortSignal.timeout(PROBE_TIMEOUT_MS)).then(
        () => true,
        () => false,
      );
      if (reached && !probing.signal.aborted) this.reportSuccess();
    }
  }

  #setReachable(isReachable: boolean): void {
    this.#isReachable = isReachable;
    for (const listener of [...this.#listeners]) listener();
  }
}

/** Resolves early if the device goes online or the window gets the focus. */
function delay(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      globalThis.removeEventListener?.("online", end);
      globalThis.removeEventListener?.("focus", end);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    globalThis.addEventListener?.("online", end);
    globalThis.addEventListener?.("focus", end);
    signal.addEventListener("abort", end);
  });
}

/** Probes the server of this page. An unhealthy server still counts as reachable. */
export const reachability = new Reachability(async (signal) => {
  const { status } = await fetch("/health", { signal, cache: "no-store" });
  if (status === 502 || status === 504) throw new Error("A proxy responded instead of the server.");
});

/** How long a probe of the server may take, in ms. */
const PROBE_TIMEOUT_MS = 5_000;
/** Between probes: longer each time, up to the last, in ms. */
const PROBE_DELAYS_MS = [1_000, 2_000, 4_000, 8_000, 15_000] as const;

/**
 * Whether the server answers, as far as the page knows by its own requests. From the first failure on the server is
 * probed until it answers; whoever has failed meanwhile subscribes and reads again then.
 */
export class Reachability {
  readonly #probe: (signal: AbortSignal) => Promise<unknown>;
  readonly #listeners = new Set<() => void>();
  #isReachable = true;
  #probing: AbortController | undefined;

  /** `probe` rejects where the server does not answer. */
  constructor(probe: (signal: AbortSignal) => Promise<unknown>) {
    this.#probe = probe;
  }

  readonly get = (): boolean => this.#isReachable;

  /** Calls `listener` after each change, until the returned function is called. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** A request had no answer. */
  reportFailure(): void {
    if (this.#isReachable) this.#setReachable(false);
    if (!this.#probing) void this.#probeUntilReached();
  }

  /** The server has answered. */
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

/** Ends early where the device has a network again or somebody comes back to the page. */
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

/** Of the server that this page comes from. A server that is up but not well answers too. */
export const reachability = new Reachability(async (signal) => {
  const { status } = await fetch("/health", { signal, cache: "no-store" });
  if (status === 502 || status === 504) throw new Error("A proxy responded instead of the server.");
});

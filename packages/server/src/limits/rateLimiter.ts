/** How far a key has come in its window. */
export interface Usage {
  /** Counted in this window, this request included. */
  used: number;
  /** Until the window ends, in ms. */
  resetsInMs: number;
}

/** Counts requests by key in fixed windows. Asynchronous so that processes may count together one day. */
export interface RateLimiter {
  /** Counts one request; the window begins with the first. */
  count(key: string, windowMs: number): Promise<Usage>;
  /** The same without counting. */
  usage(key: string, windowMs: number): Promise<Usage>;
  /** Takes back one request that was counted, where its window has not ended. */
  refund(key: string): Promise<void>;
}

export interface MemoryLimiterOptions {
  /** Milliseconds since the epoch. */
  clock(): number;
  /** Keys that are remembered at most; beyond, those whose window began first are forgotten. */
  maxKeys?: number;
}

/** Counts in this process. */
export function createMemoryLimiter({ clock, maxKeys = 100_000 }: MemoryLimiterOptions): RateLimiter {
  /** In the order in which the windows began. */
  const windows = new Map<string, { used: number; endsAt: number }>();

  function current(key: string): { used: number; endsAt: number } | undefined {
    const found = windows.get(key);
    return found && found.endsAt > clock() ? found : undefined;
  }

  function begin(key: string, windowMs: number): { used: number; endsAt: number } {
    windows.delete(key);
    if (windows.size >= maxKeys) makeRoom();
    const window = { used: 0, endsAt: clock() + windowMs };
    windows.set(key, window);
    return window;
  }

  /** A tenth at once, so that the next keys find room without a search. */
  function makeRoom(): void {
    const now = clock();
    for (const [key, { endsAt }] of windows) if (endsAt <= now) windows.delete(key);
    for (const key of windows.keys()) {
      if (windows.size <= maxKeys * 0.9) return;
      windows.delete(key);
    }
  }

  return {
    async count(key, windowMs) {
      const window = current(key) ?? begin(key, windowMs);
      window.used++;
      return { used: window.used, resetsInMs: window.endsAt - clock() };
    },
    async usage(key, windowMs) {
      const window = current(key);
      return window
        ? { used: window.used, resetsInMs: window.endsAt - clock() }
        : { used: 0, resetsInMs: windowMs };
    },
    async refund(key) {
      const window = current(key);
      if (window && window.used > 0) window.used--;
    },
  };
}

/** Usage of a key in its current window. */
export interface Usage {
  /** What was counted in this window, including this request. */
  used: number;
  /** Time until the window ends, in ms. */
  resetsInMs: number;
}

/** Counts requests by key in fixed windows. It is asynchronous to allow implementations that are shared by processes. */
export interface RateLimiter {
  /** Counts a request, as one or with another weight; a window starts with its first request. Weights are whole numbers. */
  count(key: string, windowMs: number, weight?: number): Promise<Usage>;
  /** Returns the usage without counting a request. */
  usage(key: string, windowMs: number): Promise<Usage>;
  /** Undoes the count of a request with this weight, if its window has not ended. */
  refund(key: string, weight?: number): Promise<void>;
}

export interface MemoryLimiterOptions {
  /** Milliseconds since the epoch. */
  clock(): number;
  /** Maximum number of keys; beyond it, the keys with the oldest windows are evicted. */
  maxKeys?: number;
}

/** Creates a rate limiter that counts in the memory of this process. */
export function createMemoryLimiter({ clock, maxKeys = 100_000 }: MemoryLimiterOptions): RateLimiter {
  /** In the order in which the windows started. */
  const windows = new Map<string, { used: number; endsAt: number }>();

  function currentWindow(key: string): { used: number; endsAt: number } | undefined {
    const found = windows.get(key);
    return found && found.endsAt > clock() ? found : undefined;
  }

  function startWindow(key: string, windowMs: number): { used: number; endsAt: number } {
    windows.delete(key);
    if (windows.size >= maxKeys) evict();
    const window = { used: 0, endsAt: clock() + windowMs };
    windows.set(key, window);
    return window;
  }

  /** Evicts a tenth at once, so that the next keys do not need an eviction. */
  function evict(): void {
    const now = clock();
    for (const [key, { endsAt }] of windows) if (endsAt <= now) windows.delete(key);
    for (const key of windows.keys()) {
      if (windows.size <= maxKeys * 0.9) return;
      windows.delete(key);
    }
  }

  return {
    async count(key, windowMs, weight = 1) {
      const window = currentWindow(key) ?? startWindow(key, windowMs);
      window.used += weight;
      return { used: window.used, resetsInMs: window.endsAt - clock() };
    },
    async usage(key, windowMs) {
      const window = currentWindow(key);
      return window
        ? { used: window.used, resetsInMs: window.endsAt - clock() }
        : { used: 0, resetsInMs: windowMs };
    },
    async refund(key, weight = 1) {
      const window = currentWindow(key);
      if (window) window.used = Math.max(0, window.used - weight);
    },
  };
}

import type { StudioPoint, StudioSlowRequest } from "@purse/protocol";

/** What is asked of other parts every ten seconds. */
export interface SeriesSources {
  sockets(): number;
  subscriptions(): number;
  /** null where it is not known. */
  storageBytes(): Promise<number | null>;
  /** Of the chain that is furthest behind; null where there is none. */
  lagBlocks(): number | null;
}

/** The last hour of the server, in memory. */
export interface Series {
  answered(request: { method: string; path: string; status: number; ms: number }): void;
  /** The oldest first; the last one is of the ten seconds that are not over yet. */
  points(): StudioPoint[];
  /** The last ones, the newest first. */
  slow(): StudioSlowRequest[];
  stop(): void;
}

const EVERY_MS = 10_000;
const MOST_POINTS = 360;
const SLOW_MS = 500;
const MOST_SLOW = 200;
/** Durations that are kept of ten seconds: beyond, the figures are of a sample. */
const MOST_DURATIONS = 10_000;

export function createSeries(sources: SeriesSources, onError: (error: unknown) => void): Series {
  const points: StudioPoint[] = [];
  let slow: StudioSlowRequest[] = [];
  let durations: number[] = [];
  let requests = 0;
  let errors = 0;
  let storageBytes: number | null = null;

  function present(): StudioPoint {
    const sorted = [...durations].sort((a, b) => a - b);
    const at = (share: number) =>
      Math.round((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0) * 10) / 10;
    return {
      at: new Date().toISOString(),
      requests,
      errors,
      p50Ms: at(0.5),
      p95Ms: at(0.95),
      sockets: sources.sockets(),
      subscriptions: sources.subscriptions(),
      memoryBytes: process.memoryUsage.rss(),
      storageBytes,
      lagBlocks: sources.lagBlocks(),
    };
  }

  async function measure(): Promise<void> {
    storageBytes = await sources.storageBytes();
  }

  const timer = setInterval(() => {
    points.push(present());
    if (points.length > MOST_POINTS) points.shift();
    durations = [];
    requests = 0;
    errors = 0;
    measure().catch(onError);
  }, EVERY_MS);
  timer.unref();
  measure().catch(onError);

  return {
    answered({ method, path, status, ms }) {
      requests += 1;
      if (status >= 500) errors += 1;
      if (durations.length < MOST_DURATIONS) durations.push(ms);
      else durations[Math.floor(Math.random() * MOST_DURATIONS)] = ms;
      // Without the query: what people ask for is theirs.
      if (ms < SLOW_MS) return;
      const at = new Date().toISOString();
      slow = [{ at, method, path: path.slice(0, 300), status, ms: Math.round(ms) }, ...slow].slice(
        0,
        MOST_SLOW,
      );
    },
    points: () => [...points, present()],
    slow: () => slow,
    stop: () => clearInterval(timer),
  };
}

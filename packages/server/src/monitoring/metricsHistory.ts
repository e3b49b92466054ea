import type { StudioMetricsPoint, StudioRequest, StudioSlowRequest } from "../studioApi/overview.ts";
import { createRequestHistory, type RequestKind } from "./requestHistory.ts";

/** Values that are sampled every ten seconds. */
export interface MetricsHistorySources {
  sockets(): number;
  subscriptions(): number;
  /** The sizes of the database and of its write-ahead log; null if unknown. */
  storage(): Promise<StorageSize>;
  /** Lag of the slowest chain; null if there is none. */
  lagBlocks(): number | null;
}

export type StorageSize = Pick<StudioMetricsPoint, "storageBytes" | "walBytes">;

/** The metrics of the last hour, in memory. */
export interface MetricsHistory {
  /** `isListed`: whether it is in the list of requests. */
  record(request: Omit<StudioRequest, "at"> & { isListed: boolean }): void;
  /** Data points, oldest first; the last one covers the current interval. */
  points(): StudioMetricsPoint[];
  /** The last slow requests, newest first. */
  slowRequests(): StudioSlowRequest[];
  /** The last requests of a kind, newest first. */
  requests(kind: RequestKind): StudioRequest[];
  stop(): void;
}

const SAMPLE_INTERVAL_MS = 10_000;
const MAX_POINTS = 360;
const SLOW_MS = 500;
const MAX_SLOW_REQUESTS = 200;
/** Durations per interval; beyond that, percentiles are estimated from a sample. */
const MAX_DURATIONS = 10_000;

export function createMetricsHistory(
  sources: MetricsHistorySources,
  onError: (error: unknown) => void,
): MetricsHistory {
  const points: StudioMetricsPoint[] = [];
  const requestHistory = createRequestHistory();
  let slowRequests: StudioSlowRequest[] = [];
  let durations: number[] = [];
  let requests = 0;
  let refused = 0;
  let errors = 0;
  let storage: StorageSize = { storageBytes: null, walBytes: null };

  function currentPoint(): StudioMetricsPoint {
    const sorted = [...durations].sort((a, b) => a - b);
    const at = (share: number) =>
      Math.round((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0) * 10) / 10;
    return {
      at: new Date().toISOString(),
      requests,
      refused,
      errors,
      p50Ms: at(0.5),
      p95Ms: at(0.95),
      sockets: sources.sockets(),
      subscriptions: sources.subscriptions(),
      memoryBytes: process.memoryUsage.rss(),
      ...storage,
      lagBlocks: sources.lagBlocks(),
    };
  }

  async function measureStorage(): Promise<void> {
    storage = await sources.storage();
  }

  const timer = setInterval(() => {
    points.push(currentPoint());
    if (points.length > MAX_POINTS) points.shift();
    durations = [];
    requests = 0;
    refused = 0;
    errors = 0;
    measureStorage().catch(onError);
  }, SAMPLE_INTERVAL_MS);
  timer.unref();
  measureStorage().catch(onError);

  return {
    record({ isListed, ...request }) {
      const { method, path, status, ms } = request;
      const at = Date.now();
      if (isListed) requestHistory.record({ ...request, at, ms: Math.round(ms * 10) / 10 });
      requests += 1;
      if (status >= 500) errors += 1;
      else if (status >= 400) refused += 1;
      if (durations.length < MAX_DURATIONS) durations.push(ms);
      else durations[Math.floor(Math.random() * MAX_DURATIONS)] = ms;
      // Without the query string, which may contain private data.
      if (ms < SLOW_MS) return;
      slowRequests = [
        { at: new Date(at).toISOString(), method, path: path.slice(0, 300), status, ms: Math.round(ms) },
        ...slowRequests,
      ].slice(0, MAX_SLOW_REQUESTS);
    },
    points: () => [...points, currentPoint()],
    slowRequests: () => slowRequests,
    requests: (kind) => requestHistory.list(kind),
    stop: () => clearInterval(timer),
  };
}

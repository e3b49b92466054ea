import { ProtocolError } from "@purse/protocol";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { LeaseLost } from "../store/lease.ts";
import { ClaimTaken, LimitReached, type Store } from "../store/store.ts";

/** Where a request came in. */
export type DoorName = "parse" | "data" | "studio" | "other";

/** What is asked of other parts when somebody reads the metrics. */
export interface MetricSources {
  sockets(): number;
  subscriptions(): number;
  /** Block numbers; null where they are not known yet. */
  chains(): { name: string; head: number | null; indexed: number | null; lag: number | null }[];
}

/** What a server says of itself in figures, in Prometheus' text format. */
export interface Metrics {
  /** Notes one request that was answered. `started` as `performance.now()`. */
  answered(door: DoorName, method: string | undefined, status: number, started: number): void;
  /** Counts something that an app tells of its use. */
  event(name: string): void;
  /** The same store; errors that are not answers to clients are counted. */
  watchStore(store: Store): Store;
  readonly contentType: string;
  text(): Promise<string>;
  close(): void;
}

const METHODS: ReadonlySet<string> = new Set(["GET", "POST", "PUT", "DELETE", "OPTIONS", "HEAD"]);
/** More names of events than this are counted as one. */
const MAX_EVENT_NAMES = 200;
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export function createMetrics(sources: () => MetricSources): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: "purse_http_requests_total",
    help: "Requests that were answered, by door, method and class of status.",
    labelNames: ["door", "method", "status"],
    registers,
  });
  const durations = new Histogram({
    name: "purse_http_request_duration_seconds",
    help: "From the first line of a request to its answer.",
    labelNames: ["door", "method"],
    buckets: SECONDS,
    registers,
  });
  const storeErrors = new Counter({
    name: "purse_store_errors_total",
    help: "Calls of the database that failed, by call.",
    labelNames: ["call"],
    registers,
  });
  const events = new Counter({
    name: "purse_app_events_total",
    help: "Events that apps report, by name.",
    labelNames: ["event"],
    registers,
  });
  const eventNames = new Set<string>();
  gauge("purse_live_sockets", "Open WebSockets of live queries.", () => sources().sockets());
  gauge("purse_live_subscriptions", "Live queries that are subscribed to.", () => sources().subscriptions());
  chainGauge("purse_chain_head_block", "The newest block of a chain's node.", "head");
  chainGauge("purse_chain_indexed_block", "The newest block in the index.", "indexed");
  chainGauge("purse_chain_lag_blocks", "Blocks between the node and the index.", "lag");

  function gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  }

  function chainGauge(name: string, help: string, field: "head" | "indexed" | "lag"): void {
    new Gauge({
      name,
      help,
      labelNames: ["chain"],
      registers,
      collect() {
        this.reset();
        for (const chain of sources().chains()) {
          const value = chain[field];
          if (value !== null) this.set({ chain: chain.name }, value);
        }
      },
    });
  }

  return {
    contentType: registry.contentType,
    answered(door, method = "", status, started) {
      const known = METHODS.has(method) ? method : "other";
      requests.inc({ door, method: known, status: `${Math.floor(status / 100)}xx` });
      durations.observe({ door, method: known }, (performance.now() - started) / 1000);
    },
    event(name) {
      // Whoever invents names without end fills no memory.
      if (eventNames.size < MAX_EVENT_NAMES) eventNames.add(name);
      events.inc({ event: eventNames.has(name) ? name : "other" });
    },
    watchStore: (store) =>
      watch(store, (call, error) => {
        if (!isAnswer(error)) storeErrors.inc({ call });
      }),
    text: () => registry.metrics(),
    close: () => registry.clear(),
  };
}

/** What clients are told is nothing that went wrong. */
function isAnswer(error: unknown): boolean {
  if (error instanceof ProtocolError) return (error.status ?? 400) < 500;
  return error instanceof ClaimTaken || error instanceof LimitReached || error instanceof LeaseLost;
}

/** Tells of every call of a store that rejects, by its name. */
function watch(store: Store, onError: (call: string, error: unknown) => void): Store {
  const watched = new Map<string | symbol, unknown>();
  return new Proxy(store, {
    get(target, name) {
      const known = watched.get(name);
      if (known !== undefined) return known;
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      const call = (...args: unknown[]): unknown => {
        const result: unknown = Reflect.apply(value, target, args);
        if (result instanceof Promise) result.catch((error: unknown) => onError(String(name), error));
        return result;
      };
      watched.set(name, call);
      return call;
    },
  });
}

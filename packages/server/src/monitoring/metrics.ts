import type { ChainStatus } from "@purse/chain";
import { ProtocolError } from "@purse/protocol";
import type { WorkerHealth } from "@purse/workers";
import {
  type Aggregator,
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  Registry,
} from "prom-client";
import type { CloudHealth } from "../cloud/index.ts";
import { decorateStore } from "../database/decoratedStore.ts";
import { LeaseLostError } from "../database/lease.ts";
import type { ReplicaStatus } from "../database/replicaStatus.ts";
import { CounterLimitError, type Store, UniqueConstraintError } from "../database/store.ts";
import type { ProcessGroup, ProcessMetrics } from "../processes/index.ts";
import { processMemory } from "./processMemory.ts";

/** The API that received a request. */
export type ApiName = "parse" | "graphql" | "mcp" | "data" | "studio" | "other";

/** A gauge, or a counter (`isTotal`), that is read when the metrics are scraped. */
export type ModuleMetric = {
  /** In snake case, as in `invoices_open`. Names of counters end with `_total`. */
  name: string;
  help: string;
  isTotal?: boolean;
} & (
  | { label?: undefined; read(): number }
  /** With a value for each value of a label. */
  | { label: string; read(): LabeledValues }
);

type LabeledValues = Iterable<readonly [labelValue: string, value: number]>;

/** Values that are read when metrics are scraped. */
export interface MetricSources {
  sockets(): number;
  subscriptions(): number;
  /** How long committed changes have been waiting to become live events, in ms. */
  changeLogDelayMs(): number;
  /** What waits to be sent, and what was not sent. */
  sending?(): { unsentBytes: number; endedReceivers: number; refusedAnswers: number };
  /** What clients without the master key have stored, and how often the limits of it have refused a write. */
  storedBytes?: { readonly stored: number; readonly refused: Readonly<Record<string, number>> };
  isDatabaseAvailable(): boolean;
  /** Missing if Valkey is not used. */
  isValkeyAvailable?(): boolean;
  /** Missing if there is no replica of the database. */
  replica?(): ReplicaStatus;
  /** The leases that processes compete for, and whether this one holds them. */
  leases(): { name: string; isHeld: boolean }[];
  workers(): WorkerHealth[];
  /** Block numbers; null if unknown. */
  chains(): {
    name: string;
    state: ChainStatus["state"];
    head: number | null;
    indexed: number | null;
    lag: number | null;
    isDatabaseUnavailable?: boolean;
    rebuild?: { blocks: number; missing: number | null };
  }[];
}

/** The metrics of a server in Prometheus' text format. */
export interface Metrics {
  /** Records a request and how long it took, in ms. */
  recordRequest(api: ApiName, method: string, status: number, ms: number): void;
  /** Adds the gauges of values that are read when metrics are scraped. */
  observe(sources: MetricSources): void;
  /** Adds the metrics of cloud code. */
  observeCloud(read: () => CloudHealth): void;
  /** Adds the metrics of a module. Throws Error if one is invalid or there already. */
  observeModule(metrics: readonly ModuleMetric[]): void;
  /** Counts a usage event of an app. */
  countEvent(name: string): void;
  /** Wraps a store and counts its unexpected errors. */
  instrumentStore(store: Store): Store;
  readonly contentType: string;
  text(): Promise<string>;
  close(): void;
}

const METHODS: ReadonlySet<string> = new Set(["GET", "POST", "PUT", "DELETE", "OPTIONS", "HEAD"]);
/** How values of several processes become one. */
const SUM: Aggregator = "sum";
const LOWEST: Aggregator = "min";
const HIGHEST: Aggregator = "max";
const EVENT_LOOP_LAGS: ReadonlySet<string> = new Set(
  ["seconds", "p90_seconds", "p99_seconds"].map((name) => `nodejs_eventloop_lag_${name}`),
);
/** Further event names are counted as "other". */
const MAX_EVENT_NAMES = 200;
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Creates the metrics of a process. Those of several processes are added up when they are scraped from one of them. */
export function createMetrics(processes?: Pick<ProcessGroup, "shareMetrics">): Metrics {
  const registry = new Registry();
  const readAll = processes?.shareMetrics(async () => (await registry.getMetricsAsJSON()).map(ofSlowest));
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: "purse_http_requests_total",
    help: "HTTP requests by API, method and status class.",
    labelNames: ["api", "method", "status"],
    registers,
  });
  const durations = new Histogram({
    name: "purse_http_request_duration_seconds",
    help: "Duration of HTTP requests.",
    labelNames: ["api", "method"],
    buckets: SECONDS,
    registers,
  });
  const storeErrors = new Counter({
    name: "purse_store_errors_total",
    help: "Failed database calls by method.",
    labelNames: ["call"],
    registers,
  });
  const events = new Counter({
    name: "purse_app_events_total",
    help: "Usage events reported by apps, by name.",
    labelNames: ["event"],
    registers,
  });
  const eventNames = new Set<string>();
  labeledGauge(
    "purse_memory_bytes",
    "Resident memory: allocated, and mapped files, which the system takes back when it needs memory.",
    "kind",
    SUM,
    processMemory,
  );

  function observe(sources: MetricSources): void {
    gauge("purse_processes", "Server processes of this port.", () => 1);
    gauge("purse_live_sockets", "Open live query WebSockets.", () => sources.sockets());
    gauge("purse_live_subscriptions", "Active live query subscriptions.", () => sources.subscriptions());
    gauge(
      "purse_change_log_delay_seconds",
      "How long committed changes have been waiting for an earlier transaction to become live events.",
      () => sources.changeLogDelayMs() / 1000,
      HIGHEST,
    );
    gauge(
      "purse_database_available",
      "1 if the database can be read and written.",
      () => Number(sources.isDatabaseAvailable()),
      LOWEST,
    );
    const { isValkeyAvailable } = sources;
    if (isValkeyAvailable) {
      gauge(
        "purse_valkey_available",
        "1 if Valkey is used, 0 if the database is used in its place.",
        () => Number(isValkeyAvailable()),
        LOWEST,
      );
    }
    if (sources.sending) observeSending(sources.sending);
    if (sources.storedBytes) observeStoredBytes(sources.storedBytes);
    if (sources.replica) observeReplica(sources.replica);
    labeledGauge("purse_lease_held", "1 if this process holds a lease.", "lease", SUM, () =>
      sources.leases().map(({ name, isHeld }) => [name, Number(isHeld)]),
    );
    labeledGauge("purse_worker_restarts", "Unexpected exits of worker threads.", "worker", SUM, () =>
      sources.workers().map(({ name, restarts }) => [name, restarts]),
    );
    labeledGauge("purse_worker_failed", "Worker threads that are not restarted.", "worker", SUM, () =>
      sources.workers().map(({ name, state }) => [name, Number(state === "failed")]),
    );
    chainGauge(sources, "purse_chain_head_block", "Latest block of a chain.", "head");
    chainGauge(sources, "purse_chain_indexed_block", "Latest indexed block of a chain.", "indexed");
    chainGauge(sources, "purse_chain_lag_blocks", "Indexing lag in blocks.", "lag");
    rebuildGauge(
      sources,
      "purse_chain_rebuild_blocks",
      "Blocks of the index that is built beside that of a chain.",
      "blocks",
    );
    rebuildGauge(
      sources,
      "purse_chain_rebuild_missing_blocks",
      "Blocks that the index that is built beside that of a chain does not have yet.",
      "missing",
    );
    labeledGauge(
      "purse_chain_database_available",
      "1 if the database of a chain's index can be reached.",
      "chain",
      LOWEST,
      () => sources.chains().map(({ name, isDatabaseUnavailable }) => [name, Number(!isDatabaseUnavailable)]),
    );
    labeledGauge(
      "purse_chain_advancing",
      "1 if the index of a chain is being built or follows it; 0 if the chain, its nodes or the indexer stand still.",
      "chain",
      HIGHEST,
      () =>
        sources
          .chains()
          .map(({ name, state }) => [name, Number(state === "following" || state === "syncing")]),
    );
  }

  function observeSending(read: NonNullable<MetricSources["sending"]>): void {
    gauge("purse_unsent_bytes", "Bytes that wait until clients read them.", () => read().unsentBytes);
    count(
      "purse_ended_receivers_total",
      "Connections that were ended because their clients read too slowly while too much waited.",
      () => read().endedReceivers,
    );
    count(
      "purse_refused_answers_total",
      "Responses that were refused because of their size.",
      () => read().refusedAnswers,
    );
  }

  function observeStoredBytes(storedBytes: NonNullable<MetricSources["storedBytes"]>): void {
    count(
      "purse_client_stored_bytes_total",
      "Bytes that clients without the master key have stored in objects, if that is limited.",
      () => storedBytes.stored,
    );
    labeledCounter(
      "purse_refused_writes_total",
      "Writes that were refused because too much was stored from an address or in a class.",
      "limit",
      () => Object.entries(storedBytes.refused),
    );
  }

  function labeledCounter(name: string, help: string, label: string, read: () => LabeledValues): void {
    new Counter({
      name,
      help,
      labelNames: [label],
      registers,
      collect() {
        this.reset();
        for (const [labelValue, value] of read()) this.inc({ [label]: labelValue }, value);
      },
    });
  }

  function count(name: string, help: string, read: () => number): void {
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  }

  function observeCloud(read: () => CloudHealth): void {
    gauge("purse_cloud_threads", "Threads of the cloud code.", () => read().threads);
    gauge("purse_cloud_calls_waiting", "Calls of cloud code that wait for a thread.", () => read().waiting);
    labeledGauge(
      "purse_cloud_refused",
      "1 for a function or trigger that is refused, to all or some clients, because it blocked its thread repeatedly.",
      "function",
      HIGHEST,
      () => read().refused.map(({ name }) => [name, 1]),
    );
    labeledCounter(
      "purse_cloud_interruptions_total",
      "How often a function or trigger blocked its thread until it was ended.",
      "function",
      () => read().interruptions,
    );
  }

  function observeModule(metrics: readonly ModuleMetric[]): void {
    for (const metric of metrics) {
      const { name, help, isTotal = false } = metric;
      if (metric.label === undefined) (isTotal ? count : gauge)(name, help, () => metric.read());
      else if (isTotal) labeledCounter(name, help, metric.label, () => metric.read());
      else labeledGauge(name, help, metric.label, SUM, () => metric.read());
    }
  }

  function observeReplica(status: () => ReplicaStatus): void {
    gauge(
      "purse_replica_lag_seconds",
      "How far the replica of the database is behind the primary; -1 if that is unknown.",
      () => {
        const { lagMs } = status();
        return lagMs === null ? -1 : lagMs / 1000;
      },
      HIGHEST,
    );
    gauge(
      "purse_replica_used",
      "1 if the replica of the database is read, 0 if the primary is read in its place.",
      () => Number(status().isUsed),
      LOWEST,
    );
    labeledCounter(
      "purse_replica_queries_total",
      "Queries for the replica by the server that has answered them.",
      "server",
      () => Object.entries(status().reads),
    );
  }

  function gauge(name: string, help: string, read: () => number, aggregator = SUM): void {
    new Gauge({
      name,
      help,
      registers,
      aggregator,
      collect() {
        this.set(read());
      },
    });
  }

  function chainGauge(
    sources: MetricSources,
    name: string,
    help: string,
    field: "head" | "indexed" | "lag",
  ): void {
    // One process indexes; the others read its progress.
    labeledGauge(name, help, "chain", HIGHEST, () =>
      sources.chains().flatMap((chain) => {
        const value = chain[field];
        return value === null ? [] : [[chain.name, value]];
      }),
    );
  }

  /** Adds a gauge that has a value only while an index is built beside that of a chain. */
  function rebuildGauge(
    sources: MetricSources,
    name: string,
    help: string,
    field: "blocks" | "missing",
  ): void {
    const aggregator = field === "blocks" ? HIGHEST : LOWEST;
    labeledGauge(name, help, "chain", aggregator, () =>
      sources.chains().flatMap((chain) => {
        const value = chain.rebuild?.[field] ?? null;
        return value === null ? [] : [[chain.name, value]];
      }),
    );
  }

  /** Adds a gauge with one label; values of the same label are added up. */
  function labeledGauge(
    name: string,
    help: string,
    label: string,
    aggregator: Aggregator,
    read: () => LabeledValues,
  ): void {
    new Gauge({
      name,
      help,
      labelNames: [label],
      registers,
      aggregator,
      collect() {
        this.reset();
        for (const [labelValue, value] of read()) this.inc({ [label]: labelValue }, value);
      },
    });
  }

  return {
    contentType: registry.contentType,
    recordRequest(api, method, status, ms) {
      const knownMethod = METHODS.has(method) ? method : "other";
      requests.inc({ api, method: knownMethod, status: `${Math.floor(status / 100)}xx` });
      durations.observe({ api, method: knownMethod }, ms / 1000);
    },
    observe,
    observeCloud,
    observeModule,
    countEvent(name) {
      // Limits the memory that arbitrary names may use.
      if (eventNames.size < MAX_EVENT_NAMES) eventNames.add(name);
      events.inc({ event: eventNames.has(name) ? name : "other" });
    },
    instrumentStore: (store) =>
      instrument(store, (call, error) => {
        if (!isExpectedError(error)) storeErrors.inc({ call });
      }),
    text: async () =>
      readAll ? AggregatorRegistry.aggregate(await readAll()).metrics() : registry.metrics(),
    close: () => registry.clear(),
  };
}

/** Of the event loops of several processes, the slowest one counts: their average hides it. */
function ofSlowest(metric: ProcessMetrics[number]): ProcessMetrics[number] {
  return EVENT_LOOP_LAGS.has(metric.name) ? { ...metric, aggregator: HIGHEST } : metric;
}

/** Errors that are part of normal operation. */
function isExpectedError(error: unknown): boolean {
  if (error instanceof ProtocolError) return (error.status ?? 400) < 500;
  return (
    error instanceof UniqueConstraintError ||
    error instanceof CounterLimitError ||
    error instanceof LeaseLostError
  );
}

/** The errors among the outcomes of independent writes. */
function errorsOf(outcomes: unknown): Error[] {
  return Array.isArray(outcomes) ? outcomes.filter((outcome) => outcome instanceof Error) : [];
}

/** Decorates a store: reports each rejected operation, and each create that failed among others, by its name. */
function instrument(store: Store, onError: (call: string, error: unknown) => void): Store {
  return decorateStore(store, (operation, _subject, run) => {
    const result = run();
    const onRejected = (error: unknown) => onError(operation, error);
    if (operation === "createEach")
      result.then((outcomes) => errorsOf(outcomes).forEach(onRejected), onRejected);
    else result.catch(onRejected);
    return result;
  });
}

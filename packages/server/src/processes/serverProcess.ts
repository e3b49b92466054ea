import type { Worker } from "node:cluster";
import { performance } from "node:perf_hooks";
import { countersOf } from "./countedMetrics.ts";
import {
  PROCESS_MESSAGE,
  type ProcessMessage,
  type ProcessMetrics,
  type StopMode,
  type SupervisorMessage,
} from "./messages.ts";

export interface ServerProcessOptions {
  worker: Worker;
  /** Called when the process requests the metrics of all processes. */
  onMetricsRequest(id: number): void;
}

/** How long a process may take to report its metrics, in ms. */
const METRICS_TIMEOUT_MS = 2_000;

/** A server process as its supervisor sees it. */
export class ServerProcess {
  readonly startedAt = performance.now();
  /** Resolves with the URL once the process has started. Rejects if it ends before. */
  readonly ready: Promise<string>;
  /** Resolves when the process has ended, with its exit code or signal. */
  readonly exited: Promise<string>;
  isReady = false;
  /** Pings since it was ready, or since the last response. */
  unansweredPings = 0;
  /** What the process has counted, as far as known. */
  counted: ProcessMetrics = [];
  readonly #worker: Worker;
  /** Whether it has reported its metrics for the last time. */
  #hasReported = false;
  #hasEnded = false;
  readonly #metricsRequests = new Map<number, (metrics: ProcessMetrics | undefined) => void>();

  constructor({ worker, onMetricsRequest }: ServerProcessOptions) {
    this.#worker = worker;
    this.exited = new Promise((resolve) => {
      worker.once("exit", (code, signal) => resolve(signal ?? `code ${code}`));
    });
    const ready = Promise.withResolvers<string>();
    this.ready = ready.promise;
    // There may be no caller that awaits it.
    this.ready.catch(() => undefined);
    void this.exited.then((how) => {
      this.#hasEnded = true;
      ready.reject(new Error(`The process ended with ${how}`));
      for (const resolve of this.#metricsRequests.values()) resolve(undefined);
    });
    worker.on("message", (received: unknown) => {
      const message: ProcessMessage | undefined = PROCESS_MESSAGE.safeParse(received).data;
      if (message?.kind === "ready") {
        this.isReady = true;
        // Those that were sent while it loaded its modules were lost.
        this.unansweredPings = 0;
        ready.resolve(message.url);
      }
      if (message?.kind === "pong") this.unansweredPings = 0;
      if (message?.kind === "metricsRequest") onMetricsRequest(message.id);
      if (message?.kind === "metrics" && !this.#hasReported) {
        this.counted = countersOf(message.metrics);
        this.#metricsRequests.get(message.id)?.(message.metrics);
      }
      if (message?.kind === "lastMetrics") {
        this.#hasReported = true;
        this.counted = countersOf(message.metrics);
      }
    });
    // Sending to a process that is about to end fails; its end is handled.
    worker.on("error", () => undefined);
  }

  get pid(): number | undefined {
    return this.#worker.process.pid;
  }

  send(message: SupervisorMessage): void {
    if (this.#worker.isConnected()) this.#worker.send(message);
  }

  /** Resolves when the process has ended; kills it after this many ms. */
  async stop(how: StopMode, timeoutMs: number): Promise<void> {
    this.send({ kind: "stop", how });
    const timer = setTimeout(() => this.kill(), timeoutMs);
    await this.exited;
    clearTimeout(timer);
  }

  ping(): void {
    this.unansweredPings += 1;
    this.send({ kind: "ping" });
  }

  kill(): void {
    this.#worker.process.kill("SIGKILL");
  }

  /** Returns only what the process has counted, as far as known, if it does not answer in time. */
  async metrics(id: number): Promise<ProcessMetrics> {
    if (this.#hasReported || this.#hasEnded) return this.counted;
    const { promise, resolve } = Promise.withResolvers<ProcessMetrics | undefined>();
    this.#metricsRequests.set(id, resolve);
    const timer = setTimeout(() => resolve(undefined), METRICS_TIMEOUT_MS);
    this.send({ kind: "collectMetrics", id });
    try {
      return (await promise) ?? this.counted;
    } finally {
      clearTimeout(timer);
      this.#metricsRequests.delete(id);
    }
  }
}

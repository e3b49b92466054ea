import cluster from "node:cluster";
import { setMaxListeners } from "node:events";
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "../core/logger.ts";
import { EndedProcesses } from "./countedMetrics.ts";
import type { StopMode } from "./messages.ts";
import { ServerProcess } from "./serverProcess.ts";

export interface ProcessSupervisorOptions {
  /** Number of processes. */
  count: number;
  /** Variables of the processes, besides those of this one. */
  env?: Record<string, string>;
  /** How long a process may take to stop before it is killed, in ms. */
  stopTimeoutMs: number;
  /** Interval of the pings of processes, in ms. */
  pingIntervalMs?: number;
  logger: Logger;
}

/** Number of pings without a response after which a process is killed. Its share of the requests would hang. */
const MAX_UNANSWERED_PINGS = 12;
const PING_INTERVAL_MS = 5_000;

/**
 * The same for a process that starts, which responds once it has loaded its modules. Its start may take any time, as that
 * includes the migration of the database.
 */
const MAX_UNANSWERED_PINGS_AT_START = 36;
/** Delays before a process is started again, in ms: doubled with each failure in a row. */
const MIN_RESTART_DELAY_MS = 200;
const MAX_RESTART_DELAY_MS = 30_000;
/** A process that ran for longer than this had not failed to start, in ms. */
const STABLE_MS = 30_000;

/**
 * Runs several processes of the program that share one port (`node:cluster`): connections go to one after the other. A
 * process that ends is started again.
 */
export class ProcessSupervisor {
  readonly #options: ProcessSupervisorOptions;
  /** The current process of each place. */
  readonly #processes: ServerProcess[] = [];
  /** All that run, including those that were replaced and are about to stop. */
  readonly #running = new Set<ServerProcess>();
  readonly #ended = new EndedProcesses();
  readonly #stopController = new AbortController();
  readonly #pings: NodeJS.Timeout;
  #lastMetricsId = 0;
  #lastReload: Promise<void> = Promise.resolve();
  #url = "";

  constructor(options: ProcessSupervisorOptions) {
    this.#options = options;
    setMaxListeners(0, this.#stopController.signal);
    this.#pings = setInterval(() => this.#pingAll(), options.pingIntervalMs ?? PING_INTERVAL_MS).unref();
  }

  /** The base URL; empty before `start` has resolved. */
  get url(): string {
    return this.#url;
  }

  /** Resolves when all processes have started. Rejects if the first one cannot start, which has logged the reason. */
  async start(): Promise<void> {
    // It migrates the database, and finds out whether the port is free.
    const first = this.#fork();
    this.#url = await this.#untilReady(first);
    this.#processes[0] = first;
    void this.#keepRunning(0, first);
    await Promise.all(
      Array.from({ length: this.#options.count - 1 }, async (_, index) => {
        const process = this.#fork();
        this.#processes[index + 1] = process;
        void this.#keepRunning(index + 1, process);
        // One that fails is started again.
        await this.#untilReady(process).catch(() => undefined);
      }),
    );
  }

  /**
   * Replaces one process after the other: starts a new one, and stops the old one when that is ready. Keeps the old ones
   * if a new one does not start.
   */
  reload(): Promise<void> {
    this.#lastReload = this.#lastReload.then(async () => {
      for (const place of this.#processes.keys()) {
        if (this.#isStopping) return;
        await this.#replace(place);
      }
      this.#options.logger.info("all processes have been replaced");
    });
    const reloaded = this.#lastReload;
    this.#lastReload = reloaded.catch((error: unknown) => {
      this.#options.logger.error("the processes were not replaced", { error });
    });
    return reloaded;
  }

  /** Stops all processes. */
  async stop(how: Exclude<StopMode, "replaced">): Promise<void> {
    this.#stopController.abort();
    clearInterval(this.#pings);
    await Promise.all(this.#processes.map((process) => process.stop(how, this.#options.stopTimeoutMs)));
    await this.#lastReload;
  }

  get #isStopping(): boolean {
    return this.#stopController.signal.aborted;
  }

  /** Counts pings instead of time, so that a machine that was suspended ends no process. */
  #pingAll(): void {
    for (const process of this.#running) {
      const max = process.isReady ? MAX_UNANSWERED_PINGS : MAX_UNANSWERED_PINGS_AT_START;
      if (process.unansweredPings < max) {
        process.ping();
        continue;
      }
      this.#options.logger.error("a process does not respond and is killed", { pid: process.pid });
      process.kill();
    }
  }

  #fork(): ServerProcess {
    const process: ServerProcess = new ServerProcess({
      worker: cluster.fork(this.#options.env),
      onMetricsRequest: (id) => void this.#sendMetrics(process, id),
    });
    this.#running.add(process);
    void process.exited.then(() => {
      this.#running.delete(process);
      this.#ended.add(process.counted);
    });
    return process;
  }

  async #untilReady(process: ServerProcess): Promise<string> {
    const abort = () => process.kill();
    this.#stopController.signal.addEventListener("abort", abort, { once: true });
    try {
      return await process.ready;
    } finally {
      this.#stopController.signal.removeEventListener("abort", abort);
    }
  }

  async #replace(place: number): Promise<void> {
    const next = this.#fork();
    await this.#untilReady(next);
    const previous = this.#processes[place];
    this.#processes[place] = next;
    void this.#keepRunning(place, next);
    await previous?.stop("replaced", this.#options.stopTimeoutMs);
  }

  /** Starts a process again whenever it ends, until the supervisor stops or the process is replaced. */
  async #keepRunning(place: number, first: ServerProcess): Promise<void> {
    const { logger } = this.#options;
    let failures = 0;
    for (let current = first; ; ) {
      const how = await current.exited;
      const isObsolete = () => this.#isStopping || this.#processes[place] !== current;
      if (isObsolete()) return;
      failures = performance.now() - current.startedAt > STABLE_MS ? 1 : failures + 1;
      const delay = Math.min(MAX_RESTART_DELAY_MS, MIN_RESTART_DELAY_MS * 2 ** (failures - 1));
      logger.error("a process has ended and is started again", { pid: current.pid, how, delay });
      const { signal } = this.#stopController;
      await sleep(delay, undefined, { signal }).catch(() => undefined);
      if (isObsolete()) return;
      current = this.#fork();
      this.#processes[place] = current;
      await this.#untilReady(current).catch(() => undefined);
    }
  }

  async #sendMetrics(receiver: ServerProcess, requestId: number): Promise<void> {
    this.#lastMetricsId += 1;
    const id = this.#lastMetricsId;
    // Both at one moment: a process that ends meanwhile counts once.
    const ended = this.#ended.counted;
    const ready = [...this.#running].filter(({ isReady }) => isReady);
    const metrics = await Promise.all(ready.map((process) => process.metrics(id)));
    receiver.send({ kind: "metricsResponse", id: requestId, metrics: [...metrics, ...ended] });
  }
}

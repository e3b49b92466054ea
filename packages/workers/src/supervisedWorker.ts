import { setTimeout as sleep } from "node:timers/promises";
import type { Transferable, Worker } from "node:worker_threads";
import { WorkerExitedError, WorkerUnavailableError } from "./errors.ts";
import { READY } from "./messages.ts";

export interface WorkerLogger {
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
}

/**
 * - `starting`: the first worker is not ready yet
 * - `ready`: accepts messages
 * - `restarting`: the worker ended unexpectedly and is being restarted
 * - `failed`: it ended too often and is not restarted; the process should report that it is not ready
 * - `stopped`: stopped on purpose, or not started
 */
export type WorkerState = "starting" | "ready" | "restarting" | "failed" | "stopped";

export interface WorkerHealth {
  name: string;
  state: WorkerState;
  /** Number of unexpected exits since the start. */
  restarts: number;
  lastError?: string;
}

export interface RestartPolicy {
  /** Delays in ms before consecutive restarts; the last one repeats. */
  delaysMs: number[];
  /** Number of unexpected exits within `windowMs` after which the worker counts as failed. */
  maxFailures: number;
  windowMs: number;
}

export const DEFAULT_RESTART_POLICY: RestartPolicy = {
  delaysMs: [0, 200, 1_000, 5_000],
  maxFailures: 6,
  windowMs: 60_000,
};

/** Maximum number of terminated threads that may still run native code; further restarts wait. */
const MAX_TERMINATING = 2;

export interface SupervisedWorkerOptions<Message> {
  /** Name of the worker in logs and health reports. */
  name: string;
  /** Creates a worker whose first message is `READY`. Called again for each restart. */
  spawn(): Worker;
  onMessage(message: Message): void;
  /** Called when a worker is ready: the first one and each replacement. */
  onReady?(): void;
  /** Called when the worker that received the previous messages has exited; its responses will not arrive. */
  onLost(error: Error): void;
  /** Called after `onLost` when the worker has failed too often and is not restarted. */
  onFailed?(error: Error): void;
  logger: WorkerLogger;
  restart?: RestartPolicy;
}

/** Time within which a worker must be ready, in ms. */
const READY_TIMEOUT_MS = 60_000;
/** How long a worker that is not needed any more may still start before it is terminated, in ms. */
const STARTING_GRACE_MS = 10_000;

/**
 * Keeps a worker thread running: restarts it with increasing delays when it ends unexpectedly, and reports a failure if
 * it keeps ending. Messages are defined by the application.
 */
export class SupervisedWorker<Message> {
  readonly #options: SupervisedWorkerOptions<Message>;
  readonly #policy: RestartPolicy;
  #worker: Worker | undefined;
  /** Settled when the worker is ready or has exited. */
  #started: Promise<unknown> = Promise.resolve();
  #state: WorkerState = "stopped";
  #restarts = 0;
  #lastError: string | undefined;
  /** Times of recent unexpected exits, in ms of the monotonic clock. */
  #failures: number[] = [];
  #restartTimer: NodeJS.Timeout | undefined;
  /** Terminated workers whose threads have not exited yet. */
  readonly #terminating = new Set<Promise<unknown>>();

  constructor(options: SupervisedWorkerOptions<Message>) {
    this.#options = options;
    this.#policy = options.restart ?? DEFAULT_RESTART_POLICY;
  }

  get state(): WorkerState {
    return this.#state;
  }

  health(): WorkerHealth {
    return {
      name: this.#options.name,
      state: this.#state,
      restarts: this.#restarts,
      ...(this.#lastError !== undefined && { lastError: this.#lastError }),
    };
  }

  /** Resolves when the first worker is ready. Rejects with the reason if it fails to start, without a retry. */
  async start(): Promise<void> {
    this.#state = "starting";
    try {
      await this.#launch();
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /** Throws WorkerUnavailableError if no worker is ready. */
  post(message: unknown, transfer: readonly Transferable[] = []): void {
    if (this.#state !== "ready" || !this.#worker) {
      throw new WorkerUnavailableError(`${this.#options.name} is ${this.#state}`);
    }
    this.#worker.postMessage(message, transfer);
  }

  /** Resets the count of failures after the worker has completed work. */
  markHealthy(): void {
    if (this.#failures.length > 0) this.#failures = [];
  }

  /** Terminates the current worker and starts another one at once. Does not count as a failure. */
  replace(reason: string): void {
    if (this.#state !== "ready") return;
    this.#options.logger.warn("a worker was terminated and is being replaced", {
      worker: this.#options.name,
      reason,
    });
    this.#restarts += 1;
    this.#lastError = reason;
    this.#state = "restarting";
    this.#terminateWorker();
    this.#options.onLost(new WorkerExitedError(`${this.#options.name}: ${reason}`));
    this.#relaunch(0);
  }

  /** Sends a message that makes the worker exit, and terminates it after `timeoutMs`. */
  async shutDown(message: unknown, timeoutMs: number): Promise<void> {
    const worker = this.#state === "ready" ? this.#worker : undefined;
    this.#state = "stopped";
    if (worker) {
      const exited = new Promise((resolve) => worker.once("exit", resolve));
      const timer = setTimeout(() => void worker.terminate(), timeoutMs);
      worker.postMessage(message);
      await exited;
      clearTimeout(timer);
    }
    await this.stop();
  }

  /** Terminates the worker. Resolves when its threads have exited. */
  async stop(): Promise<void> {
    this.#state = "stopped";
    clearTimeout(this.#restartTimer);
    this.#terminateWorker();
    await Promise.all(this.#terminating);
  }

  #launch(): Promise<void> {
    const { name, spawn, onMessage, onReady } = this.#options;
    const ready = Promise.withResolvers<void>();
    const worker = spawn();
    this.#worker = worker;
    let cause: Error | undefined;
    let isReady = false;
    const timer = setTimeout(() => {
      cause ??= new Error(`not ready within ${READY_TIMEOUT_MS} ms`);
      void worker.terminate();
    }, READY_TIMEOUT_MS);
    worker.on("message", (message: Message | typeof READY) => {
      if (message === READY) {
        clearTimeout(timer);
        ready.resolve();
      }
      if (worker !== this.#worker) return;
      if (message !== READY) return onMessage(message);
      isReady = true;
      this.#state = "ready";
      onReady?.();
    });
    worker.on("error", (error) => {
      cause ??= error instanceof Error ? error : new Error(String(error));
    });
    // After a message that cannot be deserialized, its receiver would wait forever.
    worker.on("messageerror", (error) => {
      cause ??= error;
      void worker.terminate();
    });
    worker.on("exit", (code) => {
      clearTimeout(timer);
      const error = cause ?? new WorkerExitedError(`${name} ended with code ${code}`);
      ready.reject(error);
      if (worker !== this.#worker) return;
      this.#worker = undefined;
      // The caller handles the failure of the first start.
      if (isReady || this.#state === "restarting") this.#handleUnexpectedExit(error);
    });
    this.#started = ready.promise.catch(() => undefined);
    return ready.promise;
  }

  #handleUnexpectedExit(error: Error): void {
    if (this.#state === "stopped") return;
    const { name, logger, onLost, onFailed } = this.#options;
    const now = performance.now();
    this.#failures = [...this.#failures.filter((at) => now - at < this.#policy.windowMs), now];
    this.#restarts += 1;
    this.#lastError = error.message;
    const hasFailed = this.#failures.length >= this.#policy.maxFailures;
    this.#state = hasFailed ? "failed" : "restarting";
    logger.error(
      hasFailed
        ? "a worker keeps failing and will not be restarted"
        : "a worker ended unexpectedly and is being restarted",
      {
        worker: name,
        error: error.stack ?? error.message,
      },
    );
    onLost(error);
    if (hasFailed) {
      onFailed?.(error);
      return;
    }
    const { delaysMs } = this.#policy;
    this.#relaunch(delaysMs[Math.min(this.#failures.length, delaysMs.length) - 1] ?? 0);
  }

  #relaunch(delayMs: number): void {
    this.#restartTimer = setTimeout(async () => {
      // Native code keeps running after termination, so the number of such threads is limited.
      while (this.#terminating.size >= MAX_TERMINATING) await Promise.race(this.#terminating);
      if (this.#state !== "restarting") return;
      // A failure to launch is reported by the exit of the worker.
      this.#launch().catch(() => undefined);
    }, delayMs);
  }

  #terminateWorker(): void {
    const worker = this.#worker;
    this.#worker = undefined;
    if (!worker) return;
    const termination = this.#terminate(worker).finally(() => this.#terminating.delete(termination));
    this.#terminating.add(termination);
  }

  /** Terminates a worker once it has started: a thread that ends while it loads a native module takes the process with it. */
  async #terminate(worker: Worker): Promise<void> {
    const grace = new AbortController();
    const late = sleep(STARTING_GRACE_MS, undefined, { signal: grace.signal, ref: false });
    await Promise.race([this.#started, late.catch(() => undefined)]);
    grace.abort();
    await worker.terminate();
  }
}

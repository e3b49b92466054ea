import type { Transferable, Worker } from "node:worker_threads";
import { WorkerExitedError, WorkerUnavailableError } from "./errors.ts";
import { READY } from "./messages.ts";

export interface WorkerLog {
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
}

/**
 * - `starting`: the first worker has not said that it is ready
 * - `ready`: accepts messages
 * - `restarting`: the worker ended unexpectedly; another one is on its way
 * - `failed`: it ended too often and is not restarted any more; the process should report not ready
 * - `stopped`: ended on purpose, or not started
 */
export type WorkerState = "starting" | "ready" | "restarting" | "failed" | "stopped";

export interface WorkerHealth {
  name: string;
  state: WorkerState;
  /** Unexpected ends since the start. */
  restarts: number;
  lastError?: string;
}

export interface RestartPolicy {
  /** Wait in ms before each restart in a row; the last one repeats. */
  delaysMs: number[];
  /** Unexpected ends within `windowMs` from which the worker counts as failed. */
  maxFailures: number;
  windowMs: number;
}

export const DEFAULT_RESTART_POLICY: RestartPolicy = {
  delaysMs: [0, 200, 1_000, 5_000],
  maxFailures: 6,
  windowMs: 60_000,
};

/** Ended threads that may still run native code before a further restart waits for one of them. */
const MAX_ENDING = 2;

export interface SupervisedWorkerOptions<Message> {
  /** Names the worker in logs and health reports. */
  name: string;
  /** Makes a worker whose first message is `READY`. Called again for each restart. */
  spawn(): Worker;
  onMessage(message: Message): void;
  /** A worker accepts messages: the first one, and each that replaced another. */
  onReady?(): void;
  /** The worker that had received the messages so far is gone; its answers will not come. */
  onLost(error: Error): void;
  /** The worker has ended too often and is not restarted any more; called after `onLost`. */
  onFailed?(error: Error): void;
  log: WorkerLog;
  restart?: RestartPolicy;
  /** A worker that is not ready by then counts as failed, in ms. */
  readyTimeoutMs?: number;
}

/**
 * Keeps one worker thread running: restarts it with growing delays when it ends unexpectedly and gives up, visibly,
 * when it keeps failing. What messages mean is up to the caller.
 */
export class SupervisedWorker<Message> {
  readonly #options: SupervisedWorkerOptions<Message>;
  readonly #policy: RestartPolicy;
  #worker: Worker | undefined;
  #state: WorkerState = "stopped";
  #restarts = 0;
  #lastError: string | undefined;
  /** Times of the unexpected ends that still count, in ms of the monotonic clock. */
  #failures: number[] = [];
  #restartTimer: NodeJS.Timeout | undefined;
  /** Workers that were ended and whose thread has not gone yet. */
  readonly #ending = new Set<Promise<unknown>>();

  constructor(options: SupervisedWorkerOptions<Message>) {
    this.#options = options;
    this.#policy = options.restart ?? DEFAULT_RESTART_POLICY;
  }

  get state(): WorkerState {
    return this.#state;
  }

  /** Ended workers whose threads still run: native code cannot be interrupted. */
  get ending(): number {
    return this.#ending.size;
  }

  health(): WorkerHealth {
    return {
      name: this.#options.name,
      state: this.#state,
      restarts: this.#restarts,
      ...(this.#lastError !== undefined && { lastError: this.#lastError }),
    };
  }

  /** Resolves when the first worker is ready. Rejects with why it did not start; it is not tried again then. */
  async start(): Promise<void> {
    this.#state = "starting";
    try {
      await this.#launch();
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /** Throws WorkerUnavailableError while no worker accepts messages. */
  post(message: unknown, transfer: readonly Transferable[] = []): void {
    if (this.#state !== "ready" || !this.#worker) {
      throw new WorkerUnavailableError(`${this.#options.name} is ${this.#state}`);
    }
    this.#worker.postMessage(message, transfer);
  }

  /** The worker has done work: ends before now do not count towards giving up. */
  markHealthy(): void {
    if (this.#failures.length > 0) this.#failures = [];
  }

  /** Ends the current worker, whatever it does, and starts another one at once. Does not count as a failure. */
  replace(reason: string): void {
    if (this.#state !== "ready") return;
    this.#options.log.warn("a worker was ended and is replaced", { worker: this.#options.name, reason });
    this.#restarts += 1;
    this.#lastError = reason;
    this.#state = "restarting";
    this.#endWorker();
    this.#options.onLost(new WorkerExitedError(`${this.#options.name}: ${reason}`));
    this.#relaunch(0);
  }

  /** Sends the worker a message by which it ends itself, and ends it where it has not after `timeoutMs`. */
  async end(message: unknown, timeoutMs: number): Promise<void> {
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

  /** Ends the worker. Resolves when its threads are gone. */
  async stop(): Promise<void> {
    this.#state = "stopped";
    clearTimeout(this.#restartTimer);
    this.#endWorker();
    await Promise.all(this.#ending);
  }

  #launch(): Promise<void> {
    const { name, spawn, onMessage, onReady, readyTimeoutMs = 60_000 } = this.#options;
    const ready = Promise.withResolvers<void>();
    const worker = spawn();
    this.#worker = worker;
    let cause: Error | undefined;
    let isReady = false;
    const timer = setTimeout(() => {
      cause ??= new Error(`not ready within ${readyTimeoutMs} ms`);
      void worker.terminate();
    }, readyTimeoutMs);
    worker.on("message", (message: Message | typeof READY) => {
      if (worker !== this.#worker) return;
      if (message !== READY) return onMessage(message);
      isReady = true;
      clearTimeout(timer);
      this.#state = "ready";
      ready.resolve();
      onReady?.();
    });
    worker.on("error", (error) => {
      cause ??= error instanceof Error ? error : new Error(String(error));
    });
    // A message that cannot be read would leave whoever waits for it waiting.
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
      // A first start that fails is the caller's to handle.
      if (isReady || this.#state === "restarting") this.#recover(error);
    });
    ready.promise.catch(() => undefined);
    return ready.promise;
  }

  #recover(error: Error): void {
    if (this.#state === "stopped") return;
    const { name, log, onLost, onFailed } = this.#options;
    const now = performance.now();
    this.#failures = [...this.#failures.filter((at) => now - at < this.#policy.windowMs), now];
    this.#restarts += 1;
    this.#lastError = error.message;
    const hasFailed = this.#failures.length >= this.#policy.maxFailures;
    this.#state = hasFailed ? "failed" : "restarting";
    log.error(hasFailed ? "a worker keeps failing and is not restarted" : "a worker ended and is restarted", {
      worker: name,
      error: error.stack ?? error.message,
    });
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
      // Native code runs on after its worker was ended: threads must not pile up.
      while (this.#ending.size >= MAX_ENDING) await Promise.race(this.#ending);
      if (this.#state !== "restarting") return;
      // A failure to launch comes back as the end of that worker.
      this.#launch().catch(() => undefined);
    }, delayMs);
  }

  #endWorker(): void {
    const worker = this.#worker;
    this.#worker = undefined;
    if (!worker) return;
    const ending = worker.terminate().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }
}

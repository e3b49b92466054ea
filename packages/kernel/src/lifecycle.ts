import type { Logger } from "./logger.ts";

/** How long a step may take before a warning names it, in ms. */
export interface SlowStepTimes {
  startMs: number;
  stopMs: number;
}

/** The process gives up a shutdown after 10 seconds. */
const SLOW_STEP_TIMES: SlowStepTimes = { startMs: 10_000, stopMs: 5_000 };
/** How long what was opened may take to stop after a failed start, in ms. */
const STOP_AFTER_FAILURE_MS = 10_000;

export interface LifecycleOptions {
  slow?: SlowStepTimes;
  /** How long what was opened may take to stop after a failed start, in ms. */
  stopAfterFailureMs?: number;
}

/**
 * Resources in the order of their start. `stop` ends them in reverse order; a failed start does the same, so that no
 * thread, socket, timer or lock leaks. The log names what takes long to start or to stop.
 */
export class Lifecycle {
  readonly #logger: Logger;
  readonly #slow: SlowStepTimes;
  readonly #stopAfterFailureMs: number;
  #entries: { name: string; stop(): void | Promise<void> }[] = [];

  constructor(logger: Logger, options: LifecycleOptions = {}) {
    this.#logger = logger;
    this.#slow = options.slow ?? SLOW_STEP_TIMES;
    this.#stopAfterFailureMs = options.stopAfterFailureMs ?? STOP_AFTER_FAILURE_MS;
  }

  /**
   * Registers how to stop a resource that has been opened or is about to start; `stop` must also work for a partial
   * start.
   */
  onStop(name: string, stop: () => unknown): void {
    this.#entries.push({
      name,
      async stop() {
        await stop();
      },
    });
  }

  /** Runs a step of the start. */
  async start<T>(name: string, run: () => T | Promise<T>): Promise<T> {
    return this.#warnIfSlow("a component is still starting", name, this.#slow.startMs, run);
  }

  /** Opens a resource and registers how to close it. */
  async open<T>(name: string, open: () => T | Promise<T>, stop: (opened: T) => unknown): Promise<T> {
    const opened = await this.start(name, open);
    this.onStop(name, () => stop(opened));
    return opened;
  }

  /**
   * Runs a function; if it fails, stops everything that is registered and rethrows the error. What does not stop in time
   * is left behind, so that the error is always thrown.
   */
  async stopOnFailure<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const { promise: timeout, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, this.#stopAfterFailureMs);
      await Promise.race([this.stop().catch(() => undefined), timeout]);
      clearTimeout(timer);
      throw error;
    }
  }

  /**
   * Stops everything in reverse order. Errors are logged and prevent nothing else from stopping. Throws the first
   * error.
   */
  async stop(): Promise<void> {
    const errors: unknown[] = [];
    for (let entry = this.#entries.pop(); entry; entry = this.#entries.pop()) {
      const { name, stop } = entry;
      try {
        await this.#warnIfSlow("a component is still stopping", name, this.#slow.stopMs, stop);
      } catch (error) {
        errors.push(error);
        this.#logger.error("a component failed to stop", { what: name, error });
      }
    }
    if (errors.length > 0) throw errors[0];
  }

  /** Runs a step, and logs a warning if it takes long, and each time that it has taken twice as long as then. */
  async #warnIfSlow<T>(
    message: string,
    what: string,
    afterMs: number,
    run: () => T | Promise<T>,
  ): Promise<T> {
    let ms = afterMs;
    const warn = () => {
      this.#logger.warn(message, { what, ms });
      timer = setTimeout(warn, ms).unref();
      ms *= 2;
    };
    let timer = setTimeout(warn, ms).unref();
    try {
      return await run();
    } finally {
      clearTimeout(timer);
    }
  }
}

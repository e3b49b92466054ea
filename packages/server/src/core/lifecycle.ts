import type { Logger } from "./logger.ts";

/**
 * Resources in the order of their start. `stop` ends them in reverse order; a failed start does the same, so that no
 * thread, socket, timer or lock leaks.
 */
export class Lifecycle {
  readonly #logger: Logger;
  #entries: { name: string; stop(): void | Promise<void> }[] = [];

  constructor(logger: Logger) {
    this.#logger = logger;
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

  /** Opens a resource and registers how to close it. */
  async open<T>(name: string, open: () => T | Promise<T>, stop: (opened: T) => unknown): Promise<T> {
    const opened = await open();
    this.onStop(name, () => stop(opened));
    return opened;
  }

  /** Runs a function; if it fails, stops everything that is registered and rethrows the error. */
  async stopOnFailure<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      await this.stop().catch(() => undefined);
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
      try {
        await entry.stop();
      } catch (error) {
        errors.push(error);
        this.#logger.error("a component failed to stop", { what: entry.name, error });
      }
    }
    if (errors.length > 0) throw errors[0];
  }
}

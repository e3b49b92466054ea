import type { Log } from "./observe/log.ts";

/**
 * What has been opened and started, in its order. `stop` ends it in the reverse order; so does whoever fails halfway
 * through a start, so that no thread, socket, timer or lock stays behind.
 */
export class Lifecycle {
  readonly #log: Log;
  #steps: { name: string; stop(): void | Promise<void> }[] = [];

  constructor(log: Log) {
    this.#log = log;
  }

  /**
   * Registers how to end what has been opened, or is about to be started: `stop` has to work for what was started
   * halfway, too.
   */
  onStop(name: string, stop: () => unknown): void {
    this.#steps.push({
      name,
      async stop() {
        await stop();
      },
    });
  }

  /** Opens something and registers how to end it. */
  async open<T>(name: string, open: () => T | Promise<T>, stop: (opened: T) => unknown): Promise<T> {
    const opened = await open();
    this.onStop(name, () => stop(opened));
    return opened;
  }

  /** Runs work; where it fails everything that is registered is stopped before the error is thrown on. */
  async unwinding<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      await this.stop().catch(() => undefined);
      throw error;
    }
  }

  /** Ends everything, last things first; what fails is logged and keeps nothing else from being ended. Throws the first error. */
  async stop(): Promise<void> {
    const errors: unknown[] = [];
    for (let step = this.#steps.pop(); step; step = this.#steps.pop()) {
      try {
        await step.stop();
      } catch (error) {
        errors.push(error);
        this.#log.error("something did not end as it should", { what: step.name, error });
      }
    }
    if (errors.length > 0) throw errors[0];
  }
}

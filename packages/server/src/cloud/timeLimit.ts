import { ErrorCode } from "@purse/protocol";
import type { Logger } from "../core/logger.ts";
import { OutcomeUnknownError } from "../core/outcomeUnknownError.ts";

/** An invocation that has not ended. */
interface Running {
  /** What is called, for error messages. */
  name: string;
  /** A value of performance.now(). */
  endsAt: number;
  reject(error: Error): void;
  /** Ends the waiting: returns the error, if it is not that the code did not end in time. */
  expire(): Error | undefined;
}

/**
 * Limits how long cloud code may take. All invocations have the same limit, so that the one that started first exceeds it
 * first, and one timer is enough for all of them.
 */
export class TimeLimit {
  readonly #timeoutMs: number;
  readonly #logger: Pick<Logger, "warn">;
  /** In the order in which they started. */
  readonly #running = new Set<Running>();
  #timer: NodeJS.Timeout | undefined;

  /** `timeoutMs` is 0 for no limit. */
  constructor(timeoutMs: number, logger: Pick<Logger, "warn">) {
    this.#timeoutMs = timeoutMs;
    this.#logger = logger;
  }

  /**
   * Waits for the result of cloud code. Rejects after the timeout: with 124 if the code keeps running, or with the error
   * that `expire` returns if it has not begun and will not.
   */
  limit<Result>(
    name: string,
    result: Promise<Result>,
    expire: () => Error | undefined = () => undefined,
  ): Promise<Result> {
    if (this.#timeoutMs === 0) return result;
    return new Promise((resolve, reject) => {
      const running = { name, endsAt: performance.now() + this.#timeoutMs, reject, expire };
      this.#running.add(running);
      this.#timer ??= this.#startTimer(this.#timeoutMs);
      result.then(
        (value) => {
          this.#running.delete(running);
          resolve(value);
        },
        (error: unknown) => {
          this.#running.delete(running);
          reject(error);
        },
      );
    });
  }

  #startTimer(ms: number): NodeJS.Timeout {
    return setTimeout(() => this.#rejectLate(), ms).unref();
  }

  /** Rejects the invocations that have exceeded the limit, and waits for the next one. */
  #rejectLate(): void {
    this.#timer = undefined;
    const now = performance.now();
    for (const running of this.#running) {
      if (running.endsAt > now) {
        this.#timer = this.#startTimer(Math.ceil(running.endsAt - now));
        return;
      }
      const { name, reject, expire } = running;
      this.#running.delete(running);
      const error = expire();
      const what = error ? "cloud code was not begun in time" : "cloud code took too long";
      this.#logger.warn(what, { name, ms: this.#timeoutMs });
      const message = `${name} did not end within ${this.#timeoutMs} ms`;
      reject(error ?? new OutcomeUnknownError(ErrorCode.TIMEOUT, message));
    }
  }
}

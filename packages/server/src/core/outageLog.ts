import type { LogFields, Logger } from "./logger.ts";

/** Names that are remembered at most; of more, the oldest is logged again. */
const MAX_NAMES = 1_000;

/** Logs when something begins to fail and when it works again, and not what fails in between. */
export class OutageLog {
  readonly #logger: Pick<Logger, "error" | "info">;
  readonly #failing = new Set<string>();

  constructor(logger: Pick<Logger, "error" | "info">) {
    this.#logger = logger;
  }

  /** `key` is that of a later `succeeded`. */
  failed(key: string, message: string, fields: LogFields = {}): void {
    if (this.#failing.has(key)) return;
    this.#failing.add(key);
    const [oldest] = this.#failing;
    if (oldest !== undefined && this.#failing.size > MAX_NAMES) this.#failing.delete(oldest);
    this.#logger.error(message, fields);
  }

  succeeded(key: string, message: string, fields: LogFields = {}): void {
    if (this.#failing.delete(key)) this.#logger.info(message, fields);
  }
}

import { performance } from "node:perf_hooks";

/**
 * A batch that takes longer than this probably waits for a lock, so the next one starts without waiting for it, in ms.
 */
const SLOW_MS = 50;
/** Maximum number of concurrent batches. */
const MAX_CONCURRENT_BATCHES = 3;

/** Limits of one batch, which has at least one item. */
interface BatchLimits {
  items: number;
  /** Characters of the documents of its items. */
  chars: number;
}

/** Collects what arrives while a batch runs for the next one. */
export class CommitQueue<Item extends { chars: number }> {
  readonly #limits: BatchLimits;
  readonly #run: (batch: Item[]) => Promise<void>;
  readonly #queue: Item[] = [];
  /** Running batches with their start times (performance.now()). */
  readonly #running = new Set<{ startedAt: number }>();
  #startTimer: NodeJS.Timeout | undefined;
  /** Whether a batch starts at the end of this turn of the event loop. */
  #isStarting = false;

  /** `run` settles all items of a batch; it does not reject. */
  constructor(limits: BatchLimits, run: (batch: Item[]) => Promise<void>) {
    this.#limits = limits;
    this.#run = run;
  }

  /** The items of one turn of the event loop form a batch; otherwise the first one would be a batch of its own. */
  add(item: Item): void {
    this.#queue.push(item);
    if (this.#isStarting) return;
    this.#isStarting = true;
    setImmediate(() => {
      this.#isStarting = false;
      this.#startNextBatch();
    });
  }

  /** Starts the next batch if none is running, or if the running ones seem to wait for locks. */
  #startNextBatch(): void {
    if (this.#queue.length === 0) return;
    const now = performance.now();
    const delays = [...this.#running].map(({ startedAt }) => startedAt + SLOW_MS - now);
    const delay = Math.max(0, ...delays);
    if (delay === 0 && this.#running.size < MAX_CONCURRENT_BATCHES) {
      void this.#runBatch(this.#takeBatch());
    } else if (this.#running.size < MAX_CONCURRENT_BATCHES && !this.#startTimer) {
      this.#startTimer = setTimeout(() => {
        this.#startTimer = undefined;
        this.#startNextBatch();
      }, delay);
      this.#startTimer.unref();
    }
  }

  #takeBatch(): Item[] {
    let chars = 0;
    const end = this.#queue.findIndex((item, i) => {
      chars += item.chars;
      return i >= this.#limits.items || (i > 0 && chars > this.#limits.chars);
    });
    return this.#queue.splice(0, end < 0 ? this.#queue.length : end);
  }

  async #runBatch(batch: Item[]): Promise<void> {
    const running = { startedAt: performance.now() };
    this.#running.add(running);
    try {
      await this.#run(batch);
    } finally {
      this.#running.delete(running);
      this.#startNextBatch();
    }
  }
}

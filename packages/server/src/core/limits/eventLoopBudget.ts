/** Cost of the work that may be started in one turn of the event loop, in units of `messageCost`. */
const COST_PER_TURN = 32;

interface Waiter {
  cost: number;
  start(): void;
}

/**
 * Spreads work over turns of the event loop, so that other requests are served in between: one chunk of a socket may
 * contain hundreds of messages. Keys, such as addresses, are served in turn.
 */
export class EventLoopBudget {
  /** Waiting work by key; the key that is served next comes first. */
  readonly #queues = new Map<string, Waiter[]>();
  #left = COST_PER_TURN;
  #isScheduled = false;

  /** Resolves when work of this cost may start; undefined if it may start now. */
  acquire(cost: number, key = ""): Promise<void> | undefined {
    this.#schedule();
    if (this.#queues.size === 0 && this.#left > 0) {
      this.#left -= cost;
      return undefined;
    }
    return new Promise((start) => {
      const queue = this.#queues.get(key);
      if (queue) queue.push({ cost, start });
      else this.#queues.set(key, [{ cost, start }]);
    });
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#left = COST_PER_TURN;
      while (this.#left > 0 && this.#startNext());
      if (this.#queues.size > 0) this.#schedule();
    });
  }

  /** Starts the first work of the next key, which moves to the end. */
  #startNext(): boolean {
    const next = this.#queues.entries().next().value;
    if (!next) return false;
    const [key, queue] = next;
    const waiter = queue.shift();
    this.#queues.delete(key);
    if (queue.length > 0) this.#queues.set(key, queue);
    if (!waiter) return false;
    this.#left -= waiter.cost;
    waiter.start();
    return true;
  }
}

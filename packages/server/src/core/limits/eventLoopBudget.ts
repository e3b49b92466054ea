/** Cost of the work that may be started in one turn of the event loop, in units of `messageCost`. */
const COST_PER_TURN = 32;

interface Waiter {
  cost: number;
  start(): void;
}

/** Whose work it is. */
export interface WorkOwner {
  /** Such as an address. */
  key: string;
  /** Part of what has this key, such as a connection. */
  part?: number;
}

/**
 * Spreads work over turns of the event loop, so that other requests are served in between: one chunk of a socket may
 * contain hundreds of messages. Keys are served in turn, and so are the parts of a key.
 */
export class EventLoopBudget {
  /** Waiting work by key and part; what is served next comes first. */
  readonly #queues = new Map<string, Map<number, Waiter[]>>();
  #left = COST_PER_TURN;
  #isScheduled = false;

  /** Resolves when work of this cost may start; undefined if it may start now. */
  acquire(cost: number, { key, part = 0 }: WorkOwner = { key: "" }): Promise<void> | undefined {
    this.#schedule();
    if (this.#queues.size === 0 && this.#left > 0) {
      this.#left -= cost;
      return undefined;
    }
    return new Promise((start) => {
      const parts = this.#queues.get(key) ?? new Map<number, Waiter[]>();
      const queue = parts.get(part) ?? [];
      queue.push({ cost, start });
      this.#queues.set(key, parts.set(part, queue));
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

  #startNext(): boolean {
    const parts = takeFirst(this.#queues);
    const queue = parts && takeFirst(parts.value);
    const waiter = queue?.value.shift();
    if (!parts || !queue || !waiter) return false;
    if (queue.value.length > 0) parts.value.set(queue.key, queue.value);
    if (parts.value.size > 0) this.#queues.set(parts.key, parts.value);
    this.#left -= waiter.cost;
    waiter.start();
    return true;
  }
}

/** Takes out the first entry, which becomes the last one when it is put back. */
function takeFirst<Key, Value>(map: Map<Key, Value>): { key: Key; value: Value } | undefined {
  const [first] = map;
  if (!first) return undefined;
  const [key, value] = first;
  map.delete(key);
  return { key, value };
}

/** Sizes of the events of several queues: that have not been taken, and with those that their readers process. */
export interface QueueSizes {
  bytes: number;
  heldBytes: number;
}

/** Events that one reader takes, one after the other. */
export class EventQueue<Event> implements AsyncGenerator<Event> {
  readonly #events: { event: Event; bytes: number }[] = [];
  readonly #onReturn: () => void;
  readonly #sizes: QueueSizes;
  #bytes = 0;
  /** The size of the event that was taken last. */
  #takenBytes = 0;
  #waiting: PromiseWithResolvers<IteratorResult<Event>> | undefined;
  #isEnded = false;
  #error: unknown;

  /**
   * @param onReturn called when the reader stops
   * @param sizes to which its events are added, as long as it has them
   */
  constructor(onReturn: () => void, sizes: QueueSizes = { bytes: 0, heldBytes: 0 }) {
    this.#onReturn = onReturn;
    this.#sizes = sizes;
  }

  /** The size of the events that have not been taken. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The size of these and of the event that its reader processes, until it asks for the next one. */
  get heldBytes(): number {
    return this.#bytes + this.#takenBytes;
  }

  push(event: Event, bytes: number): void {
    if (this.#isEnded) return;
    if (this.#waiting) {
      this.#setSizes(this.#bytes, bytes);
      this.#waiting.resolve({ value: event, done: false });
      this.#waiting = undefined;
    } else {
      this.#events.push({ event, bytes });
      this.#setSizes(this.#bytes + bytes, this.#takenBytes);
    }
  }

  /** Ends it after the events that are left, with an error if there is one. */
  end(error?: unknown): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#error = error;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting) this.#finish().then(waiting.resolve, waiting.reject);
  }

  /** Forgets the events that have not been taken. */
  drop(): void {
    this.#events.length = 0;
    this.#setSizes(0, this.#takenBytes);
  }

  next(): Promise<IteratorResult<Event>> {
    const next = this.#events.shift();
    const bytes = next?.bytes ?? 0;
    this.#setSizes(this.#bytes - bytes, bytes);
    if (next) return Promise.resolve({ value: next.event, done: false });
    if (this.#isEnded) return this.#finish();
    this.#waiting = Promise.withResolvers();
    return this.#waiting.promise;
  }

  return(): Promise<IteratorResult<Event>> {
    this.drop();
    this.#setSizes(0, 0);
    this.#error = undefined;
    this.end();
    this.#onReturn();
    return Promise.resolve({ value: undefined, done: true });
  }

  async throw(error: unknown): Promise<IteratorResult<Event>> {
    await this.return();
    throw error;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  #setSizes(bytes: number, takenBytes: number): void {
    this.#sizes.bytes += bytes - this.#bytes;
    this.#sizes.heldBytes += bytes + takenBytes - this.heldBytes;
    this.#bytes = bytes;
    this.#takenBytes = takenBytes;
  }

  /** The error is thrown once. */
  async #finish(): Promise<IteratorResult<Event>> {
    const error = this.#error;
    this.#error = undefined;
    if (error !== undefined) throw error;
    return { value: undefined, done: true };
  }
}

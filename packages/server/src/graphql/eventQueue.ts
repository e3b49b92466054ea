/** Events that one reader takes, one after the other. */
export class EventQueue<Event> implements AsyncGenerator<Event> {
  readonly #events: { event: Event; bytes: number }[] = [];
  readonly #onReturn: () => void;
  #bytes = 0;
  #waiting: ((result: IteratorResult<Event>) => void) | undefined;
  #isEnded = false;

  /** @param onReturn called when the reader stops */
  constructor(onReturn: () => void) {
    this.#onReturn = onReturn;
  }

  /** The size of the events that have not been taken. */
  get bytes(): number {
    return this.#bytes;
  }

  push(event: Event, bytes: number): void {
    if (this.#isEnded) return;
    if (this.#waiting) this.#settle({ value: event, done: false });
    else {
      this.#events.push({ event, bytes });
      this.#bytes += bytes;
    }
  }

  /** Ends it after the events that are left. */
  end(): void {
    this.#isEnded = true;
    this.#settle({ value: undefined, done: true });
  }

  /** Forgets the events that have not been taken. */
  drop(): void {
    this.#events.length = 0;
    this.#bytes = 0;
  }

  next(): Promise<IteratorResult<Event>> {
    const next = this.#events.shift();
    if (next) {
      this.#bytes -= next.bytes;
      return Promise.resolve({ value: next.event, done: false });
    }
    if (this.#isEnded) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }

  return(): Promise<IteratorResult<Event>> {
    this.drop();
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

  #settle(result: IteratorResult<Event>): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.(result);
  }
}

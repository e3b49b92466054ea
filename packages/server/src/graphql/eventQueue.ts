/** Events that one reader takes, one after the other. */
export class EventQueue<Event> implements AsyncGenerator<Event> {
  readonly #events: { event: Event; bytes: number }[] = [];
  readonly #onReturn: () => void;
  #bytes = 0;
  /** The size of the event that was taken last. */
  #takenBytes = 0;
  #waiting: PromiseWithResolvers<IteratorResult<Event>> | undefined;
  #isEnded = false;
  #error: unknown;

  /** @param onReturn called when the reader stops */
  constructor(onReturn: () => void) {
    this.#onReturn = onReturn;
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
      this.#takenBytes = bytes;
      this.#waiting.resolve({ value: event, done: false });
      this.#waiting = undefined;
    } else {
      this.#events.push({ event, bytes });
      this.#bytes += bytes;
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
    this.#bytes = 0;
  }

  next(): Promise<IteratorResult<Event>> {
    const next = this.#events.shift();
    this.#takenBytes = next?.bytes ?? 0;
    if (next) {
      this.#bytes -= next.bytes;
      return Promise.resolve({ value: next.event, done: false });
    }
    if (this.#isEnded) return this.#finish();
    this.#waiting = Promise.withResolvers();
    return this.#waiting.promise;
  }

  return(): Promise<IteratorResult<Event>> {
    this.drop();
    this.#takenBytes = 0;
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

  /** The error is thrown once. */
  async #finish(): Promise<IteratorResult<Event>> {
    const error = this.#error;
    this.#error = undefined;
    if (error !== undefined) throw error;
    return { value: undefined, done: true };
  }
}

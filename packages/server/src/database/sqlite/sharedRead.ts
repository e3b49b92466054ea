/** A read that several requests wait for. It is aborted when all of them are. */
export class SharedRead<T> {
  readonly #abort = new AbortController();
  readonly #result: Promise<T>;
  #waiting = 0;

  constructor(read: (signal: AbortSignal) => Promise<T>) {
    this.#result = read(this.#abort.signal);
  }

  /** Returns the result. A request without a signal is never aborted. */
  async join(signal: AbortSignal | undefined): Promise<T> {
    this.#waiting += 1;
    const leave = () => {
      this.#waiting -= 1;
      if (this.#waiting === 0) this.#abort.abort();
    };
    signal?.addEventListener("abort", leave, { once: true });
    try {
      return await this.#result;
    } finally {
      signal?.removeEventListener("abort", leave);
    }
  }
}

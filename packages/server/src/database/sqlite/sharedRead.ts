/** A read that several requests wait for. It is aborted when all of them are. */
export class SharedRead<T> {
  readonly #abort = new AbortController();
  readonly #result: Promise<T>;
  #waiting = 0;

  constructor(read: (signal: AbortSignal) => Promise<T>) {
    this.#result = read(this.#abort.signal);
  }

  /** Whether all requests were aborted; another one needs a read of its own. */
  get isAborted(): boolean {
    return this.#abort.signal.aborted;
  }

  /** Returns the result. Rejects with `abortError` as soon as the signal is aborted, if others still wait. */
  async join(signal: AbortSignal | undefined, abortError: () => Error): Promise<T> {
    this.#waiting += 1;
    const aborted = Promise.withResolvers<never>();
    const leave = () => {
      this.#waiting -= 1;
      if (this.#waiting === 0) this.#abort.abort();
      else aborted.reject(abortError());
    };
    signal?.addEventListener("abort", leave, { once: true });
    try {
      return await Promise.race([this.#result, aborted.promise]);
    } finally {
      signal?.removeEventListener("abort", leave);
    }
  }
}

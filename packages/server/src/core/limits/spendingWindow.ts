/** Sums up amounts spent in a time window that starts with the first one. */
export class SpendingWindow {
  readonly #windowMs: number;
  #spent = 0;
  #endsAt = 0;

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  /** Whether the window has expired. */
  isExpired(now: number): boolean {
    return now >= this.#endsAt;
  }

  /** Adds an amount and returns the total of the window. */
  add(amount: number, now: number): number {
    if (this.isExpired(now)) {
      this.#spent = 0;
      this.#endsAt = now + this.#windowMs;
    }
    this.#spent += amount;
    return this.#spent;
  }
}

/** Adds up what is spent in a window of time, which begins with the first spending. */
export class SpendingWindow {
  readonly #windowMs: number;
  #spent = 0;
  #endsAt = 0;

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  /** Whether nothing of what was spent counts any more. */
  isOver(now: number): boolean {
    return now >= this.#endsAt;
  }

  /** Answers what has been spent in the window, this included. */
  add(amount: number, now: number): number {
    if (this.isOver(now)) {
      this.#spent = 0;
      this.#endsAt = now + this.#windowMs;
    }
    this.#spent += amount;
    return this.#spent;
  }
}

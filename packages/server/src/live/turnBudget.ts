/** What may be done in one turn of the event loop, in the counts of `messageCost`. */
const PER_TURN = 32;

/**
 * Spreads work that clients send over turns of the event loop, so that requests of others are served in between: a
 * socket may bring hundreds of messages in one piece.
 */
export class TurnBudget {
  readonly #waiting: { cost: number; start: () => void }[] = [];
  #left = PER_TURN;
  #isScheduled = false;

  /** Resolves when it is the turn of work that costs so much; undefined where that is now. */
  take(cost: number): Promise<void> | undefined {
    this.#schedule();
    if (this.#waiting.length === 0 && this.#left > 0) {
      this.#left -= cost;
      return undefined;
    }
    return new Promise((start) => this.#waiting.push({ cost, start }));
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#left = PER_TURN;
      let started = 0;
      for (const { cost, start } of this.#waiting) {
        if (this.#left <= 0) break;
        this.#left -= cost;
        started++;
        start();
      }
      this.#waiting.splice(0, started);
      if (this.#waiting.length > 0) this.#schedule();
    });
  }
}

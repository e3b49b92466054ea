/** Cost of the work that may be started in one turn of the event loop, in units of `messageCost`. */
const COST_PER_TURN = 32;

/**
 * Spreads work over turns of the event loop, so that other requests are served in between: one chunk of a socket may
 * contain hundreds of messages.
 */
export class EventLoopBudget {
  readonly #waiting: { cost: number; start: () => void }[] = [];
  #left = COST_PER_TURN;
  #isScheduled = false;

  /** Resolves when work of this cost may start; undefined if it may start now. */
  acquire(cost: number): Promise<void> | undefined {
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
      this.#left = COST_PER_TURN;
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

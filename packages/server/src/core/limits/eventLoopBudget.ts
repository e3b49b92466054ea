import { type Owner, RoundRobin } from "./roundRobin.ts";

/** Cost of the work that may be started in one turn of the event loop, in units of `messageCost`. */
const COST_PER_TURN = 32;

interface Waiter {
  cost: number;
  start(): void;
}

/**
 * Spreads work over turns of the event loop, so that other requests are served in between: one chunk of a socket may
 * contain hundreds of messages. Owners are served in turn.
 */
export class EventLoopBudget {
  readonly #waiting = new RoundRobin<Waiter>();
  #left = COST_PER_TURN;
  #isScheduled = false;

  /** Resolves when work of this cost may start; undefined if it may start now. */
  acquire(cost: number, owner: Owner = { key: "" }): Promise<void> | undefined {
    this.#schedule();
    if (this.#waiting.isEmpty && this.#left > 0) {
      this.#left -= cost;
      return undefined;
    }
    return new Promise((start) => this.#waiting.add({ cost, start }, owner));
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#left = COST_PER_TURN;
      this.#startNext();
      if (!this.#waiting.isEmpty) this.#schedule();
    });
  }

  #startNext(): void {
    while (this.#left > 0) {
      const waiter = this.#waiting.take();
      if (!waiter) return;
      this.#left -= waiter.cost;
      waiter.start();
    }
  }
}

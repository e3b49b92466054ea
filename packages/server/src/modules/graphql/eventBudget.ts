import { ErrorCode, ProtocolError } from "@purse/protocol";
import { FairQueue } from "../../core/limits/fairQueue.ts";
import { SpendingWindow } from "../../core/limits/spendingWindow.ts";
import { TimeSlicer } from "../../core/limits/timeSlicer.ts";
import type { Operations } from "./context.ts";

/** What resolving events may cost in a window: for one socket, and for all sockets of one address together. */
const WINDOW_MS = 10_000;
const MAX_SOCKET_COST = 200_000;
const MAX_ADDRESS_COST = 600_000;
/** A query, and a value of this many characters of the answer, as in the cost of operations. */
const QUERY_COST = 20;
const CHARS_PER_VALUE = 64;

/** Events of one socket that are resolved concurrently: one may wait for cloud code. */
const CONCURRENCY = 4;
const MAX_CONCURRENCY = 32;

/** What is spent for a socket. */
export interface Spender {
  readonly id: string;
  /** The key under which limits count it. */
  readonly address: string;
  readonly window: SpendingWindow;
}

/**
 * Limits the work of resolving events of subscriptions, which is events × subscriptions × changes: a socket and an address
 * have a budget of queries and values, and the events of sockets are resolved in turn.
 */
export class EventBudget {
  readonly #now: () => number;
  readonly #addresses = new Map<string, SpendingWindow>();
  readonly #queue = new FairQueue({
    concurrency: MAX_CONCURRENCY,
    maxWaiting: 100_000,
    maxWaitingPerKey: 20_000,
    maxWaitMs: 60_000,
    message: "Too many events of subscriptions at a time.",
  });
  #next = 0;

  /** @param now a monotonic clock in milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Creates the budget of a socket. */
  open(address: string): Spender {
    this.#next += 1;
    const now = this.#now();
    for (const [key, window] of this.#addresses) if (window.isExpired(now)) this.#addresses.delete(key);
    return { id: String(this.#next), address, window: new SpendingWindow(WINDOW_MS) };
  }

  /**
   * Resolves an event with operations that count its queries, as soon as it is its turn. Rejects with 124 if its socket
   * or its address has used up its budget, with 155 if too many events wait.
   */
  resolve<Result>(
    spender: Spender,
    operations: Operations,
    work: (operations: Operations) => Promise<{ result: Result; chars: number }>,
  ): Promise<Result> {
    this.#next += 1;
    const group = `${spender.id}-${this.#next % CONCURRENCY}`;
    return this.#queue.run({ key: spender.address, group }, async () => {
      this.#spend(spender, QUERY_COST);
      // A change is an event of hundreds of subscriptions.
      const slices = new TimeSlicer(spender.address);
      if (slices.isExpired) await slices.pause();
      const counted: Operations = {
        ...operations,
        execute: async (...args) => {
          this.#spend(spender, QUERY_COST);
          return operations.execute(...args);
        },
      };
      const { result, chars } = await work(counted);
      this.#spend(spender, chars / CHARS_PER_VALUE);
      return result;
    });
  }

  #spend({ address, window }: Spender, cost: number): void {
    const now = this.#now();
    const addressWindow = this.#addresses.get(address) ?? new SpendingWindow(WINDOW_MS);
    this.#addresses.set(address, addressWindow);
    const [bySocket, byAddress] = [window.add(cost, now), addressWindow.add(cost, now)];
    if (bySocket > MAX_SOCKET_COST || byAddress > MAX_ADDRESS_COST) throw tooExpensive();
  }
}

function tooExpensive(): ProtocolError {
  return new ProtocolError(
    ErrorCode.TIMEOUT,
    "The events of the subscriptions take too much to resolve: the subscription has ended",
  );
}

import { IndexReadError } from "./indexErrors.ts";

interface Waiting {
  group: string | undefined;
  start(): void;
}

/**
 * Lets a number of tasks run at a time. The next one is of the group with the fewest running tasks; among those, of the
 * group that was served least recently. A group with many tasks therefore delays mainly itself.
 */
export class ConnectionQueue {
  readonly #maxRunning: number;
  /** How long a task waits, in ms. */
  readonly #maxWaitMs: number;
  readonly #waiting: Waiting[] = [];
  readonly #running = new Map<string | undefined, number>();
  /** Number of the last task of each group that is running or waiting. */
  readonly #lastServed = new Map<string | undefined, number>();
  #runningCount = 0;
  #servedCount = 0;

  constructor(maxRunning: number, maxWaitMs: number) {
    this.#maxRunning = maxRunning;
    this.#maxWaitMs = maxWaitMs;
  }

  /** Runs a task of a group when it is its turn. Rejects if that takes too long, and as the task does. */
  async run<T>(group: string | undefined, task: () => Promise<T>): Promise<T> {
    if (this.#runningCount < this.#maxRunning) this.#begin(group);
    else await this.#wait(group);
    try {
      return await task();
    } finally {
      this.#end(group);
    }
  }

  #wait(group: string | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        this.#forget(group);
        reject(new IndexReadError("busy", `no connection became free within ${this.#maxWaitMs / 1000} s`));
      }, this.#maxWaitMs);
      const waiting: Waiting = {
        group,
        start: () => {
          clearTimeout(timer);
          this.#begin(group);
          resolve();
        },
      };
      this.#waiting.push(waiting);
    });
  }

  #begin(group: string | undefined): void {
    this.#runningCount += 1;
    this.#servedCount += 1;
    this.#running.set(group, (this.#running.get(group) ?? 0) + 1);
    this.#lastServed.set(group, this.#servedCount);
  }

  #end(group: string | undefined): void {
    this.#runningCount -= 1;
    const left = (this.#running.get(group) ?? 1) - 1;
    if (left > 0) this.#running.set(group, left);
    else this.#running.delete(group);
    this.#startNext();
    this.#forget(group);
  }

  #startNext(): void {
    const [first, ...others] = this.#waiting;
    if (!first) return;
    let next = first;
    for (const waiting of others) if (this.#isBefore(waiting, next)) next = waiting;
    this.#waiting.splice(this.#waiting.indexOf(next), 1);
    next.start();
  }

  #isBefore({ group: a }: Waiting, { group: b }: Waiting): boolean {
    const difference = (this.#running.get(a) ?? 0) - (this.#running.get(b) ?? 0);
    if (difference !== 0) return difference < 0;
    return (this.#lastServed.get(a) ?? 0) < (this.#lastServed.get(b) ?? 0);
  }

  #forget(group: string | undefined): void {
    if (this.#running.has(group) || this.#waiting.some((waiting) => waiting.group === group)) return;
    this.#lastServed.delete(group);
  }
}

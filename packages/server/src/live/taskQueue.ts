interface QueuedTask {
  run(): Promise<void> | void;
  /** Characters that the task holds in memory. */
  chars: number;
}

/** Does tasks one after the other, in the order in which they came. */
export class TaskQueue {
  readonly #onError: (error: unknown) => void;
  #tasks: QueuedTask[] = [];
  #chars = 0;
  #isWorking = false;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Tasks that wait. */
  get length(): number {
    return this.#tasks.length;
  }

  /** Characters that they hold. */
  get chars(): number {
    return this.#chars;
  }

  get isIdle(): boolean {
    return !this.#isWorking;
  }

  push(run: () => Promise<void> | void, chars = 0): void {
    this.#tasks.push({ run, chars });
    this.#chars += chars;
    if (!this.#isWorking) void this.#work();
  }

  /** Drops the tasks that hold memory, or all, and are still to be done. */
  drop(which: "holdingMemory" | "all"): void {
    this.#tasks = which === "all" ? [] : this.#tasks.filter(({ chars }) => chars === 0);
    this.#chars = 0;
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    for (let task = this.#tasks.shift(); task; task = this.#tasks.shift()) {
      this.#chars -= task.chars;
      try {
        await task.run();
      } catch (error) {
        this.#onError(error);
      }
    }
    this.#isWorking = false;
  }
}

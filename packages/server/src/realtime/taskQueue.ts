interface QueuedTask {
  run(): Promise<void> | void;
  /** Characters that the task keeps in memory. */
  chars: number;
}

/** Runs tasks sequentially in the order of their arrival. */
export class TaskQueue {
  readonly #onError: (error: unknown) => void;
  #tasks: QueuedTask[] = [];
  #chars = 0;
  #isWorking = false;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Number of queued tasks. */
  get length(): number {
    return this.#tasks.length;
  }

  /** Characters that they keep in memory. */
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

  /** Drops the queued tasks that hold memory, or all. */
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

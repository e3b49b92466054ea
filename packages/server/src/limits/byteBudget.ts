import { ErrorCode, ProtocolError } from "@purse/protocol";

export interface ByteBudgetOptions {
  /** Bytes that may be held at once. */
  maxBytes: number;
  /** How long a request may wait for bytes to become free, in ms. */
  maxWaitMs: number;
}

interface Waiting {
  bytes: number;
  resolve(): void;
  isOver: boolean;
}

/**
 * Counts the bytes of answers that are held in memory, from when they are read until their client has taken them.
 * Large answers reserve their bytes before they are read, and wait for others to be taken.
 */
export class ByteBudget {
  readonly #options: ByteBudgetOptions;
  #used = 0;
  #waiting: Waiting[] = [];

  constructor(options: ByteBudgetOptions) {
    this.#options = options;
  }

  get used(): number {
    return this.#used;
  }

  /** Whether new answers have to wait. */
  get isFull(): boolean {
    return this.#used >= this.#options.maxBytes;
  }

  /** Counts bytes that are held already. */
  charge(bytes: number): void {
    this.#used += bytes;
  }

  /** Gives back what was charged or reserved. */
  release(bytes: number): void {
    this.#used -= bytes;
    this.#serve();
  }

  /**
   * Resolves once so many bytes are free and counts them; 0 waits until the budget is not full. What is larger than
   * the budget gets it alone. Rejects with 124 and HTTP status 503 after `maxWaitMs`, and once the signal is aborted.
   */
  async reserve(bytes: number, signal?: AbortSignal): Promise<void> {
    if (this.#waiting.length === 0 && this.#fits(bytes)) {
      this.#used += bytes;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting: Waiting = { bytes, resolve, isOver: false };
    const giveUp = () => {
      waiting.isOver = true;
      reject(busy());
      this.#serve();
    };
    const timer = setTimeout(giveUp, this.#options.maxWaitMs);
    signal?.addEventListener("abort", giveUp, { once: true });
    this.#waiting.push(waiting);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", giveUp);
    }
  }

  #fits(bytes: number): boolean {
    return this.#used === 0 || (this.#used + bytes <= this.#options.maxBytes && !this.isFull);
  }

  #serve(): void {
    this.#waiting = this.#waiting.filter(({ isOver }) => !isOver);
    for (let next = this.#waiting[0]; next && this.#fits(next.bytes); next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#used += next.bytes;
      next.resolve();
    }
  }
}

function busy(): ProtocolError {
  return new ProtocolError(
    ErrorCode.TIMEOUT,
    "The server is sending too many large answers, try again later",
    503,
  );
}

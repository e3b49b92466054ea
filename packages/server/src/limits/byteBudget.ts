import { ErrorCode, ProtocolError } from "@purse/protocol";

export interface ByteBudgetOptions {
  /** Bytes that may be held at once; half of them by one group, which is at least what one answer may have. */
  maxBytes: number;
  /** How long a request may wait for bytes to become free, in ms. */
  maxWaitMs: number;
}

/** Who holds bytes, as an address; what belongs to nobody in particular is one group, too. */
export type Group = string | undefined;

interface Waiting {
  bytes: number;
  group: Group;
  resolve(): void;
  isOver: boolean;
}

/**
 * Counts the bytes of answers that are held in memory, from when they are read until their client has taken them.
 * Small answers are counted as they come; large ones reserve their bytes before they are read, and wait for others to
 * be taken. Nobody holds so much that there is nothing left for others.
 */
export class ByteBudget {
  readonly #options: ByteBudgetOptions;
  readonly #usedBy = new Map<Group, number>();
  #used = 0;
  #waiting: Waiting[] = [];

  constructor(options: ByteBudgetOptions) {
    this.#options = options;
  }

  get used(): number {
    return this.#used;
  }

  /** Counts bytes that are held already. */
  charge(bytes: number, group: Group): void {
    this.#used += bytes;
    this.#usedBy.set(group, (this.#usedBy.get(group) ?? 0) + bytes);
  }

  /** Gives back what was charged or reserved. */
  release(bytes: number, group: Group): void {
    const left = (this.#usedBy.get(group) ?? 0) - bytes;
    if (left > 0) this.#usedBy.set(group, left);
    else this.#usedBy.delete(group);
    this.#used -= bytes;
    this.#serve();
  }

  /**
   * Resolves once so many bytes are free, and counts them. What is larger than the share of a group is given out when
   * the group holds nothing else. Rejects with 124 and HTTP status 503 after `maxWaitMs`, and once the signal is aborted.
   */
  async reserve(bytes: number, group: Group, signal?: AbortSignal): Promise<void> {
    if (this.#fits({ bytes, group })) {
      this.charge(bytes, group);
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting: Waiting = { bytes, group, resolve, isOver: false };
    const giveUp = () => {
      waiting.isOver = true;
      reject(busy());
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

  #fits({ bytes, group }: Pick<Waiting, "bytes" | "group">): boolean {
    const { maxBytes } = this.#options;
    const own = this.#usedBy.get(group) ?? 0;
    const hasShare = own === 0 || own + bytes <= maxBytes / 2;
    return hasShare && (this.#used === 0 || this.#used + bytes <= maxBytes);
  }

  /** Gives out what has become free, to those first who have waited longest. */
  #serve(): void {
    const left: Waiting[] = [];
    for (const waiting of this.#waiting) {
      if (waiting.isOver) continue;
      if (this.#fits(waiting)) {
        this.charge(waiting.bytes, waiting.group);
        waiting.resolve();
      } else left.push(waiting);
    }
    this.#waiting = left;
  }
}

function busy(): ProtocolError {
  return new ProtocolError(
    ErrorCode.TIMEOUT,
    "The server is sending too many large answers, try again later",
    503,
  );
}

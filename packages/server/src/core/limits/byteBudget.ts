import { ErrorCode, ProtocolError } from "@purse/protocol";

export interface ByteBudgetOptions {
  /** Bytes that may be in memory at once. One group may hold half of them, which must allow for one response. */
  maxBytes: number;
  /** How long a request may wait for free bytes, in ms. */
  maxWaitMs: number;
}

/** The holder of bytes, such as an IP address; undefined is a separate group. */
export type Group = string | undefined;

export interface Reservation {
  /** Bytes of the group that the same request holds: it does not wait for itself. */
  held?: number;
  signal?: AbortSignal | undefined;
}

interface Waiter {
  bytes: number;
  group: Group;
  held: number;
  resolve(): void;
  isCanceled: boolean;
}

/**
 * Limits the bytes of responses in memory, from when they are read until their client has received them. Small responses
 * are counted as they are read; large ones reserve their bytes first, and wait for others to be sent. No group can use up
 * the whole budget.
 */
export class ByteBudget {
  readonly #options: ByteBudgetOptions;
  readonly #usedBy = new Map<Group, number>();
  #used = 0;
  #waiters: Waiter[] = [];

  constructor(options: ByteBudgetOptions) {
    this.#options = options;
  }

  get used(): number {
    return this.#used;
  }

  /** Counts bytes that are already in memory. */
  charge(bytes: number, group: Group): void {
    this.#used += bytes;
    this.#usedBy.set(group, (this.#usedBy.get(group) ?? 0) + bytes);
  }

  /** Releases charged or reserved bytes. */
  release(bytes: number, group: Group): void {
    const remaining = (this.#usedBy.get(group) ?? 0) - bytes;
    if (remaining > 0) this.#usedBy.set(group, remaining);
    else this.#usedBy.delete(group);
    this.#used -= bytes;
    this.#grantWaiting();
  }

  /**
   * Resolves once the bytes are free, and counts them. More than the share of a group is granted when the group holds
   * nothing else. Rejects with 124 and HTTP status 503 after `maxWaitMs`, and when the signal is aborted.
   */
  async reserve(bytes: number, group: Group, { held = 0, signal }: Reservation = {}): Promise<void> {
    if (this.#fits({ bytes, group, held })) {
      this.charge(bytes, group);
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter: Waiter = { bytes, group, held, resolve, isCanceled: false };
    const cancel = () => {
      waiter.isCanceled = true;
      reject(overloaded());
    };
    const timer = setTimeout(cancel, this.#options.maxWaitMs);
    signal?.addEventListener("abort", cancel, { once: true });
    this.#waiters.push(waiter);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", cancel);
    }
  }

  #fits({ bytes, group, held }: Pick<Waiter, "bytes" | "group" | "held">): boolean {
    const { maxBytes } = this.#options;
    const own = this.#usedBy.get(group) ?? 0;
    const isWithinShare = own <= held || own + bytes <= maxBytes / 2;
    return isWithinShare && (this.#used <= held || this.#used + bytes <= maxBytes);
  }

  /** Grants free bytes to the waiters, in order of arrival. */
  #grantWaiting(): void {
    if (this.#waiters.length === 0) return;
    const remaining: Waiter[] = [];
    for (const waiter of this.#waiters) {
      if (waiter.isCanceled) continue;
      if (this.#fits(waiter)) {
        this.charge(waiter.bytes, waiter.group);
        waiter.resolve();
      } else remaining.push(waiter);
    }
    this.#waiters = remaining;
  }
}

function overloaded(): ProtocolError {
  return new ProtocolError(
    ErrorCode.TIMEOUT,
    "The server is sending too many large responses, try again later",
    503,
  );
}

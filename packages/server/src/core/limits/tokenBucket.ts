/** Tokens available at once, and tokens added per second. */
export interface TokenRate {
  burst: number;
  perSecond: number;
}

/**
 * A message costs one token, plus one for each full unit of this many bytes, because parsing takes time proportional to
 * its length.
 */
const BYTES_PER_TOKEN = 1_024;

/** The cost of a message of `bytes` bytes. */
export function messageCost(bytes: number): number {
  return 1 + Math.floor(bytes / BYTES_PER_TOKEN);
}

/** A token bucket. Times in ms. */
export class TokenBucket {
  readonly #rate: TokenRate;
  #tokens: number;
  #updatedAt: number;

  constructor(rate: TokenRate, now: number) {
    this.#rate = rate;
    this.#tokens = rate.burst;
    this.#updatedAt = now;
  }

  /** Consumes tokens; returns false if there are not enough. */
  consume(cost: number, now: number): boolean {
    this.#refill(now);
    this.#tokens -= cost;
    return this.#tokens >= 0;
  }

  /** Whether all consumed tokens have been refilled. */
  isFull(now: number): boolean {
    this.#refill(now);
    return this.#tokens >= this.#rate.burst;
  }

  #refill(now: number): void {
    const refilled = (Math.max(0, now - this.#updatedAt) / 1_000) * this.#rate.perSecond;
    this.#tokens = Math.min(this.#rate.burst, this.#tokens + refilled);
    this.#updatedAt = now;
  }
}

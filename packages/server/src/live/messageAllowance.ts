/** How many messages may come at once, and how many a second after those. */
export interface MessageRate {
  burst: number;
  perSecond: number;
}

/** A message counts once, and once more for each of so many bytes: what is read costs time by its length. */
const BYTES_PER_COUNT = 1_024;

/** What messages of `bytes` bytes count for. */
export function messageCost(bytes: number): number {
  return 1 + Math.floor(bytes / BYTES_PER_COUNT);
}

/** Counts messages by a token bucket. Times in ms. */
export class MessageAllowance {
  readonly #rate: MessageRate;
  #left: number;
  #at: number;

  constructor(rate: MessageRate, now: number) {
    this.#rate = rate;
    this.#left = rate.burst;
    this.#at = now;
  }

  /** Takes what a message costs; false where it is more than is left. */
  take(cost: number, now: number): boolean {
    this.#earn(now);
    this.#left -= cost;
    return this.#left >= 0;
  }

  /** Whether nothing of what was sent counts any more. */
  isFull(now: number): boolean {
    this.#earn(now);
    return this.#left >= this.#rate.burst;
  }

  #earn(now: number): void {
    const earned = (Math.max(0, now - this.#at) / 1_000) * this.#rate.perSecond;
    this.#left = Math.min(this.#rate.burst, this.#left + earned);
    this.#at = now;
  }
}

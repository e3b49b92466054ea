/** Random numbers that are the same for the same seed (mulberry32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 up to, and not, 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let bits = this.#state;
    bits = Math.imul(bits ^ (bits >>> 15), bits | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from 0 up to, and not, `limit`. */
  integerBelow(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  pick<T>(from: readonly T[]): T {
    const found = from[this.integerBelow(from.length)];
    if (found === undefined) throw new Error("Nothing to pick from");
    return found;
  }

  text(length: number): string {
    return Array.from({ length }, () => LETTERS[this.integerBelow(LETTERS.length)]).join("");
  }
}

const LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789";

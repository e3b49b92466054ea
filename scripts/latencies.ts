/** Times in ms, kept as counts of how many lay where: an hour of them takes no more room than a second. */
export class Latencies {
  /** Each bucket is 2 % wider than the one before it. */
  static readonly #STEP = Math.log(1.02);
  static readonly #MIN_MS = 0.01;
  readonly #counts = new Map<number, number>();
  count = 0;

  add(ms: number): void {
    const bucket = Math.max(0, Math.ceil(Math.log(ms / Latencies.#MIN_MS) / Latencies.#STEP));
    this.#counts.set(bucket, (this.#counts.get(bucket) ?? 0) + 1);
    this.count++;
  }

  /** The time that this part of all (from 0 to 1) kept to; 0 where there are none. */
  quantile(fraction: number): number {
    const rank = this.count * fraction;
    let seen = 0;
    for (const [bucket, count] of [...this.#counts].sort(([a], [b]) => a - b)) {
      seen += count;
      if (seen >= rank) return Latencies.#MIN_MS * Math.exp(bucket * Latencies.#STEP);
    }
    return 0;
  }
}

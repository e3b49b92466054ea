/** A histogram of latencies in ms with exponential buckets, so that memory use does not grow over time. */
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

  /** The quantile (0 to 1) in ms; 0 without samples. */
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

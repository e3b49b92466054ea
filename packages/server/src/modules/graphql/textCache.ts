export interface TextCacheOptions<T> {
  /** Maximum number of characters of all entries together, and of one entry; longer ones are not cached. */
  maxChars: number;
  maxEntryChars: number;
  /** The length of the text that an entry was made of, or consists of. */
  charsOf(key: string, value: T): number;
}

/**
 * A cache of texts, or of what was made of them, whose memory is limited: clients determine how long the texts are. Removes
 * the entries that were not used for the longest time.
 */
export class TextCache<T> {
  readonly #options: TextCacheOptions<T>;
  /** From the least to the most recently used. */
  readonly #entries = new Map<string, T>();
  #chars = 0;

  constructor(options: TextCacheOptions<T>) {
    this.#options = options;
  }

  /** Number of characters of all entries. */
  get chars(): number {
    return this.#chars;
  }

  get(key: string): T | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  set(key: string, value: T): void {
    const { charsOf, maxChars, maxEntryChars } = this.#options;
    this.#delete(key);
    const chars = charsOf(key, value);
    if (chars > maxEntryChars) return;
    this.#entries.set(key, value);
    this.#chars += chars;
    for (const oldest of this.#entries.keys()) {
      if (this.#chars <= maxChars) return;
      this.#delete(oldest);
    }
  }

  #delete(key: string): void {
    const value = this.#entries.get(key);
    if (value === undefined) return;
    this.#entries.delete(key);
    this.#chars -= this.#options.charsOf(key, value);
  }
}

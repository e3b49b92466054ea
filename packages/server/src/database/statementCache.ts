/** Maximum number of cached statements, and maximum length in characters; longer ones are rarely repeated. */
const MAX_STATEMENTS = 5_000;
const MAX_CHARS = 20_000;

/**
 * Caches values by the text of statements, regardless of their parameters. The whole cache is cleared when it is full.
 */
export class StatementCache<T> {
  readonly #entries = new Map<string, T>();

  get(sql: string): T | undefined {
    return this.#entries.get(sql);
  }

  set(sql: string, value: T): void {
    if (sql.length > MAX_CHARS) return;
    if (this.#entries.size >= MAX_STATEMENTS && !this.#entries.has(sql)) this.#entries.clear();
    this.#entries.set(sql, value);
  }

  delete(sql: string): void {
    this.#entries.delete(sql);
  }
}

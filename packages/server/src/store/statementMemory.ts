/** Statements that are remembered, and how long they may be, in characters: longer ones are not asked often. */
const MAX_STATEMENTS = 5_000;
const MAX_CHARS = 20_000;

/** What is known of statements by their texts, whatever their parameters are. Forgets all of it where it is too much. */
export class StatementMemory<T> {
  readonly #known = new Map<string, T>();

  get(sql: string): T | undefined {
    return this.#known.get(sql);
  }

  set(sql: string, value: T): void {
    if (sql.length > MAX_CHARS) return;
    if (this.#known.size >= MAX_STATEMENTS && !this.#known.has(sql)) this.#known.clear();
    this.#known.set(sql, value);
  }

  delete(sql: string): void {
    this.#known.delete(sql);
  }
}

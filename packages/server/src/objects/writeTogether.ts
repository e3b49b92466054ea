import type { Store, Write, WriteResult } from "../store/store.ts";

/** Where one of the requests hands in its writes; resolves once everything has been written. */
export interface JoinedWrites {
  join(writes: Write[]): Promise<WriteResult[]>;
}

interface Part {
  writes: Write[];
  resolve(results: WriteResult[]): void;
  reject(error: unknown): void;
}

/**
 * Several requests whose writes happen together or not at all: each hands in what it wants written, and
 * when all have, or have ended without, one group is written. One that fails takes all others with it.
 */
export class WriteTogether implements JoinedWrites {
  readonly #store: Pick<Store, "write">;
  readonly #parts: Part[] = [];
  #missing: number;
  #failure: { error: unknown } | undefined;

  constructor(store: Pick<Store, "write">, requests: number) {
    this.#store = store;
    this.#missing = requests;
  }

  join(writes: Write[]): Promise<WriteResult[]> {
    return new Promise((resolve, reject) => {
      this.#parts.push({ writes, resolve, reject });
      this.#arrive();
    });
  }

  /** For a request that ended without a write. */
  pass(): void {
    this.#arrive();
  }

  /** For a request that failed before it wrote. */
  fail(error: unknown): void {
    this.#failure ??= { error };
    this.#arrive();
  }

  #arrive(): void {
    this.#missing -= 1;
    if (this.#missing === 0) void this.#write();
  }

  async #write(): Promise<void> {
    try {
      if (this.#failure) throw this.#failure.error;
      const results = await this.#store.write(this.#parts.flatMap((part) => part.writes));
      let from = 0;
      for (const part of this.#parts) {
        part.resolve(results.slice(from, from + part.writes.length));
        from += part.writes.length;
      }
    } catch (error) {
      for (const part of this.#parts) part.reject(error);
    }
  }
}

import type { Store, Write, WriteResult } from "../../database/store.ts";

/** Collects the writes of a request; resolves once all of them have been committed. */
export interface WriteTransaction {
  add(writes: Write[]): Promise<WriteResult[]>;
}

interface Participant {
  writes: Write[];
  resolve(results: WriteResult[]): void;
  reject(error: unknown): void;
}

/**
 * Executes the writes of several requests in one transaction: once every request has added its writes, or finished
 * without any, all are committed together. If one fails, all fail.
 */
export class BatchTransaction implements WriteTransaction {
  readonly #store: Pick<Store, "write">;
  readonly #participants: Participant[] = [];
  #pendingCount: number;
  #failure: { error: unknown } | undefined;

  constructor(store: Pick<Store, "write">, requests: number) {
    this.#store = store;
    this.#pendingCount = requests;
  }

  add(writes: Write[]): Promise<WriteResult[]> {
    return new Promise((resolve, reject) => {
      this.#participants.push({ writes, resolve, reject });
      this.#completeOne();
    });
  }

  /** Call for a request that completed without a write. */
  skip(): void {
    this.#completeOne();
  }

  /** Call for a request that failed before its write. */
  fail(error: unknown): void {
    this.#failure ??= { error };
    this.#completeOne();
  }

  #completeOne(): void {
    this.#pendingCount -= 1;
    if (this.#pendingCount === 0) void this.#write();
  }

  async #write(): Promise<void> {
    try {
      if (this.#failure) throw this.#failure.error;
      const results = await this.#store.write(
        this.#participants.flatMap((participant) => participant.writes),
      );
      let from = 0;
      for (const participant of this.#participants) {
        participant.resolve(results.slice(from, from + participant.writes.length));
        from += participant.writes.length;
      }
    } catch (error) {
      for (const participant of this.#participants) participant.reject(error);
    }
  }
}

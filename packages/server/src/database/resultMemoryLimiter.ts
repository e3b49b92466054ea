import { ErrorCode, ProtocolError } from "@purse/protocol";
import { responseTooLarge } from "../core/limits/answerSize.ts";
import type { ByteBudget } from "../core/limits/byteBudget.ts";
import type { RequestScope } from "../core/limits/requestScope.ts";
import { StatementCache } from "./statementCache.ts";

/** Results up to this number of characters are read without reserving memory. */
const SMALL_RESULT_CHARS = 256 * 1024;
/** Factor by which the reservation exceeds the previous size of the result. */
const GROWTH_FACTOR = 1.25;
/** Number of attempts if the result has grown in the meantime. */
const MAX_ATTEMPTS = 3;

/** The rows, or the number of characters if they exceed the limit. */
export type BoundedRows = { rows: readonly string[] } | { neededChars: number };

/**
 * Limits the memory used by query results. A statement first runs with a small limit. If its result is larger, it
 * reports the size and runs again once that much memory is reserved.
 */
export class ResultMemoryLimiter {
  readonly #budget: ByteBudget;
  readonly #maxResultBytes: number;
  /** Characters of the last large result, by statement. */
  readonly #sizes = new StatementCache<number>();

  constructor(budget: ByteBudget, maxResultBytes: number) {
    this.#budget = budget;
    this.#maxResultBytes = maxResultBytes;
  }

  /**
   * Reads the result of a statement. `read` receives the maximum number of characters. Throws 116 if the result exceeds
   * the size limit.
   */
  async read(
    shape: string,
    scope: RequestScope | undefined,
    read: (maxChars: number) => Promise<BoundedRows>,
  ): Promise<readonly string[]> {
    const knownSize = this.#sizes.get(shape);
    if (knownSize === undefined) {
      const result = await read(SMALL_RESULT_CHARS);
      if ("rows" in result) {
        this.charge(result.rows, scope);
        return result.rows;
      }
      if (result.neededChars > this.#remainingBytes(scope)) throw responseTooLarge(this.#maxResultBytes);
      return this.#readLarge(shape, scope, result.neededChars, read);
    }
    return this.#readLarge(shape, scope, knownSize, read);
  }

  async #readLarge(
    shape: string,
    scope: RequestScope | undefined,
    expectedChars: number,
    read: (maxChars: number) => Promise<BoundedRows>,
  ): Promise<readonly string[]> {
    // Large reads of one request run one after the other; otherwise they could deadlock waiting for memory that the
    // request itself holds.
    const finishLargeRead = await scope?.startLargeRead();
    try {
      let expected = expectedChars;
      for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
        const remaining = this.#remainingBytes(scope);
        const reservedChars = Math.min(remaining, Math.ceil(expected * GROWTH_FACTOR));
        await (scope?.reserveFor(reservedChars) ?? this.#budget.reserve(reservedChars, undefined));
        try {
          const result = await read(reservedChars);
          if ("rows" in result) {
            this.#saveSize(shape, this.charge(result.rows, scope));
            return result.rows;
          }
          if (result.neededChars > remaining) {
            this.#sizes.delete(shape);
            throw responseTooLarge(this.#maxResultBytes);
          }
          expected = result.neededChars;
        } finally {
          this.#budget.release(reservedChars, scope?.group);
        }
      }
    } finally {
      finishLargeRead?.();
    }
    throw new ProtocolError(ErrorCode.TIMEOUT, "The result grew while it was being read, try again", 503);
  }

  #remainingBytes(scope: RequestScope | undefined): number {
    return Math.min(this.#maxResultBytes, scope?.bytesLeft ?? this.#maxResultBytes);
  }

  /** Charges rows to a request and returns their number of characters. */
  charge(rows: readonly string[], scope: RequestScope | undefined): number {
    let chars = 0;
    for (const row of rows) chars += row.length;
    scope?.charge(chars);
    return chars;
  }

  #saveSize(shape: string, chars: number): void {
    if (chars <= SMALL_RESULT_CHARS) {
      this.#sizes.delete(shape);
      return;
    }
    this.#sizes.set(shape, chars);
  }
}

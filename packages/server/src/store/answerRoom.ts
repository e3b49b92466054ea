import { ErrorCode, ProtocolError } from "@purse/protocol";
import type { ByteBudget } from "../limits/byteBudget.ts";
import { type RequestScope, responseTooLarge } from "../limits/requestScope.ts";
import { StatementMemory } from "./statementMemory.ts";

/** Characters of an answer that is read without reserving room for it. */
const SMALL_ANSWER_CHARS = 256 * 1024;
/** An answer has room for this much more than it needed the last time, as a factor. */
const ROOM_TO_GROW = 1.25;
/** How often an answer that has grown meanwhile is read anew. */
const MAX_ATTEMPTS = 3;

/** Rows, or how many characters they would have, which is more than there was room for. */
export type BoundedRows = { rows: string[] } | { neededChars: number };

/**
 * Bounds what answers take of the memory. A statement is run with little room first; where its answer is larger, it
 * says how large, and is run again when there is room for that.
 */
export class AnswerRoom {
  readonly #budget: ByteBudget;
  readonly #maxAnswerBytes: number;
  /** Characters of the last answer that was not small, by statement. */
  readonly #sizes = new StatementMemory<number>();

  constructor(budget: ByteBudget, maxAnswerBytes: number) {
    this.#budget = budget;
    this.#maxAnswerBytes = maxAnswerBytes;
  }

  /**
   * Reads by a statement: `read` is told the room that there is, in characters. Throws 116 for an answer that is larger
   * than answers may be.
   */
  async read(
    shape: string,
    scope: RequestScope | undefined,
    read: (maxChars: number) => Promise<BoundedRows>,
  ): Promise<string[]> {
    const known = this.#sizes.get(shape);
    if (known === undefined) {
      const answer = await read(SMALL_ANSWER_CHARS);
      if ("rows" in answer) {
        this.charge(answer.rows, scope);
        return answer.rows;
      }
      if (answer.neededChars > this.#left(scope)) throw responseTooLarge(this.#maxAnswerBytes);
      return this.#readLarge(shape, scope, answer.neededChars, read);
    }
    return this.#readLarge(shape, scope, known, read);
  }

  async #readLarge(
    shape: string,
    scope: RequestScope | undefined,
    expectedChars: number,
    read: (maxChars: number) => Promise<BoundedRows>,
  ): Promise<string[]> {
    // One after the other for each request, which would wait for room that it holds itself otherwise.
    const done = await scope?.startLargeRead();
    try {
      let expected = expectedChars;
      for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
        const left = this.#left(scope);
        const room = Math.min(left, Math.ceil(expected * ROOM_TO_GROW));
        await this.#budget.reserve(room, scope?.group, scope?.signal);
        try {
          const answer = await read(room);
          if ("rows" in answer) {
            this.#remember(shape, this.charge(answer.rows, scope));
            return answer.rows;
          }
          if (answer.neededChars > left) {
            this.#sizes.delete(shape);
            throw responseTooLarge(this.#maxAnswerBytes);
          }
          expected = answer.neededChars;
        } finally {
          this.#budget.release(room, scope?.group);
        }
      }
    } finally {
      done?.();
    }
    throw new ProtocolError(ErrorCode.TIMEOUT, "The answer grew while it was read, try again", 503);
  }

  #left(scope: RequestScope | undefined): number {
    return Math.min(this.#maxAnswerBytes, scope?.bytesLeft ?? this.#maxAnswerBytes);
  }

  /** Counts rows that a request holds; answers their characters. */
  charge(rows: readonly string[], scope: RequestScope | undefined): number {
    let chars = 0;
    for (const row of rows) chars += row.length;
    scope?.charge(chars);
    return chars;
  }

  #remember(shape: string, chars: number): void {
    if (chars <= SMALL_ANSWER_CHARS) {
      this.#sizes.delete(shape);
      return;
    }
    this.#sizes.set(shape, chars);
  }
}

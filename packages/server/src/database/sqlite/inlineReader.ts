import type Database from "better-sqlite3";
import type { Statement } from "../sql/statement.ts";
import { TurnResults } from "../turnResults.ts";
import { createPreparedStatementCache, openDatabase } from "./connection.ts";
import { MAX_INLINE_DOC_BYTES } from "./interruptCheck.ts";

/** Maximum time that a statement may block the event loop before it is moved to a thread, in ms. */
const MAX_INLINE_MS = 10;
/** Maximum total length of operands, which are parsed before the first interrupt check. */
const MAX_OPERAND_CHARS = 16_000;

/** Thrown by interrupt checks; shared instances, since these errors are always caught. */
const TIMED_OUT = new Error("took too long for the event loop");
const TOO_LARGE = new Error("reads a document that is too large for the event loop");

/** `timedOut` and `tooLarge` mean that the statement has to run in a thread. */
export type InlineResult = readonly string[] | "timedOut" | "tooLarge";

/**
 * Reads on the event loop. Every statement is bounded: interrupt checks end it after a few ms and at the first large
 * document, and expensive functions are not available.
 */
export class InlineReader {
  readonly #database: Database.Database;
  readonly #prepare: ReturnType<typeof createPreparedStatementCache>;
  readonly #begin: Database.Statement;
  readonly #commit: Database.Statement;
  /** The results of the snapshot of this turn. */
  readonly #results = new TurnResults<readonly string[]>();
  #deadline = 0;
  /** Number of reads in this turn of the event loop. */
  #readsInTurn = 0;

  constructor(file: string) {
    this.#database = openDatabase(file, {
      readonly: true,
      interruptCheck: (docBytes) => {
        if (docBytes > MAX_INLINE_DOC_BYTES) throw TOO_LARGE;
        if (performance.now() > this.#deadline) throw TIMED_OUT;
      },
    });
    this.#prepare = createPreparedStatementCache(this.#database);
    this.#begin = this.#database.prepare("BEGIN");
    this.#commit = this.#database.prepare("COMMIT");
  }

  /** Returns the result of the same statement that has been read in this turn of the event loop, if there is one. */
  recall({ sql, parameters }: Statement): readonly string[] | undefined {
    return this.#results.get(sql, parameters);
  }

  /** `now` is a value of performance.now(). */
  all(sql: string, parameters: Statement["parameters"], now: number): InlineResult {
    let chars = 0;
    for (const parameter of parameters) if (typeof parameter === "string") chars += parameter.length;
    if (chars > MAX_OPERAND_CHARS) return "tooLarge";
    this.#deadline = now + MAX_INLINE_MS;
    this.#shareSnapshot();
    try {
      const values = this.#prepare(sql).pluck().all(parameters);
      const texts = areTexts(values) ? values : values.map(String);
      this.#results.set(sql, parameters, texts);
      return texts;
    } catch (error) {
      if (error === TIMED_OUT) return "timedOut";
      if (error === TOO_LARGE) return "tooLarge";
      throw error;
    }
  }

  readValue(sql: string, parameters: Statement["parameters"]): string | undefined {
    this.#shareSnapshot();
    const value = this.#prepare(sql).pluck().get(parameters);
    return value === undefined ? undefined : String(value);
  }

  /** Has to be called after each commit, so that what is read next includes it. */
  endSnapshot(): void {
    this.#results.clear();
    if (this.#database.inTransaction) this.#commit.run();
  }

  close(): void {
    this.#database.close();
  }

  /**
   * The reads of one turn of the event loop share a snapshot, because locking the database file takes longer than
   * reading an object. A single read locks it by itself.
   */
  #shareSnapshot(): void {
    this.#readsInTurn += 1;
    if (this.#readsInTurn > 1) {
      if (!this.#database.inTransaction) this.#begin.run();
      return;
    }
    setImmediate(() => {
      this.#readsInTurn = 0;
      this.endSnapshot();
    });
  }
}

/** Whether values are texts, as documents are; counts are numbers. */
function areTexts(values: unknown[]): values is string[] {
  return values.every((value) => typeof value === "string");
}

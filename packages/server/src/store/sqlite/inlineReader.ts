import type Database from "better-sqlite3";
import type { Statement } from "../sql/statement.ts";
import { MAX_INLINE_DOC_BYTES } from "./checkpoint.ts";
import { openDatabase, statementCache } from "./connection.ts";

/** How long one statement may hold the request loop before it goes on in a thread, in ms. */
const MAX_INLINE_MS = 10;
/** Operands of more characters than this are taken apart before the first checkpoint. */
const MAX_OPERAND_CHARS = 16_000;

/** Thrown by checkpoints; one object each for all, because it is no error that anybody sees. */
const LATE = new Error("took too long for the request loop");
const LARGE = new Error("reads a document that is too large for the request loop");

/** `late` and `large`: the statement has to run in a thread. */
export type InlineAnswer = string[] | "late" | "large";

/**
 * Reads on the request loop. Every statement is bounded, whatever it turns out to be: it has checkpoints, which end it
 * after a few ms and at the first large document, and the expensive functions are not there at all.
 */
export class InlineReader {
  readonly #database: Database.Database;
  readonly #prepare: ReturnType<typeof statementCache>;
  #deadline = 0;

  constructor(file: string) {
    this.#database = openDatabase(file, {
      readonly: true,
      checkpoint: (docBytes) => {
        if (docBytes > MAX_INLINE_DOC_BYTES) throw LARGE;
        if (performance.now() > this.#deadline) throw LATE;
      },
    });
    this.#prepare = statementCache(this.#database);
  }

  /** `now` as performance.now(). */
  all(sql: string, parameters: Statement["parameters"], now: number): InlineAnswer {
    let chars = 0;
    for (const parameter of parameters) if (typeof parameter === "string") chars += parameter.length;
    if (chars > MAX_OPERAND_CHARS) return "large";
    this.#deadline = now + MAX_INLINE_MS;
    try {
      return this.#prepare(sql).pluck().all(parameters).map(String);
    } catch (error) {
      if (error === LATE) return "late";
      if (error === LARGE) return "large";
      throw error;
    }
  }

  point(sql: string, parameters: Statement["parameters"]): string | undefined {
    const value = this.#prepare(sql).pluck().get(parameters);
    return value === undefined ? undefined : String(value);
  }

  close(): void {
    this.#database.close();
  }
}

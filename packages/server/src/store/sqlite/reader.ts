import { Worker } from "node:worker_threads";
import { ProtocolError } from "@purse/protocol";
import { openDatabase, statementCache } from "./connection.ts";
import type { ReaderAnswer, ReaderJob } from "./readerThread.ts";

/** A statement whose shape takes longer than this on average runs beside the event loop, not in it. */
const INLINE_MS = 1.5;
/** Statements up to so many characters are remembered with their durations. */
const MAX_LEARNED_TEXT = 20_000;

/**
 * Reads rows of one text column. Point reads run where they are asked. Others run in a reader thread
 * until their shape has proved to be quick, so that a slow query never holds up the others for long.
 */
export class Reader {
  readonly #prepare: ReturnType<typeof statementCache>;
  readonly #database: ReturnType<typeof openDatabase>;
  readonly #worker: Worker;
  readonly #waiting = new Map<
    number,
    { resolve(rows: string[]): void; reject(error: Error): void; sql: string }
  >();
  /** Average duration in ms by statement text. */
  readonly #durations = new Map<string, number>();
  #nextId = 1;

  constructor(file: string) {
    this.#database = openDatabase(file, { readonly: true });
    this.#prepare = statementCache(this.#database);
    this.#worker = new Worker(new URL("./readerThread.ts", import.meta.url), { workerData: { file } });
    this.#worker.on("message", (answer: ReaderAnswer) => this.#settle(answer));
    this.#worker.on("error", (error) => this.#fail(error));
    this.#worker.on("exit", () => this.#fail(new Error("The database's reader has stopped")));
  }

  /** For statements known to be quick. */
  first(sql: string, parameters: (string | number | null)[]): string | undefined {
    const value = this.#prepare(sql).pluck().get(parameters);
    return value === undefined ? undefined : String(value);
  }

  /** The steps by which SQLite would answer a statement. */
  explain(sql: string, parameters: (string | number | null)[]): unknown[] {
    // An explanation does not notice by itself that the layout has changed: what is read before it does.
    this.#database.prepare("SELECT count(*) FROM sqlite_schema").get();
    return this.#database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(parameters);
  }

  all(sql: string, parameters: (string | number | null)[]): Promise<string[]> | string[] {
    const duration = this.#durations.get(sql);
    if (duration === undefined || duration > INLINE_MS) return this.#beside(sql, parameters);
    const started = performance.now();
    const rows = this.#prepare(sql).pluck().all(parameters).map(String);
    this.#learn(sql, performance.now() - started);
    return rows;
  }

  async close(): Promise<void> {
    this.#worker.removeAllListeners("exit");
    await this.#worker.terminate();
    this.#database.close();
  }

  #beside(sql: string, parameters: (string | number | null)[]): Promise<string[]> {
    return new Promise((resolve, reject) => {
      const job: ReaderJob = { id: this.#nextId++, sql, parameters };
      this.#waiting.set(job.id, { resolve, reject, sql });
      this.#worker.postMessage(job);
    });
  }

  #settle(answer: ReaderAnswer): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if (!waiting) return;
    if (answer.error) {
      const { code, message } = answer.error;
      waiting.reject(code === undefined ? new Error(message) : new ProtocolError(code, message));
      return;
    }
    this.#learn(waiting.sql, answer.ms);
    waiting.resolve(answer.text ? answer.text.split("\n") : []);
  }

  #learn(sql: string, ms: number): void {
    // What is that long is not asked often, and always beside the event loop.
    if (sql.length > MAX_LEARNED_TEXT) return;
    if (this.#durations.size > 5_000) this.#durations.clear();
    const known = this.#durations.get(sql);
    this.#durations.set(sql, known === undefined ? ms : known * 0.8 + ms * 0.2);
  }

  #fail(cause: unknown): void {
    const error = cause instanceof Error ? cause : new Error(String(cause));
    for (const waiting of this.#waiting.values()) waiting.reject(error);
    this.#waiting.clear();
  }
}

import { performance } from "node:perf_hooks";
import { FairQueue } from "../../core/limits/fairQueue.ts";
import { currentScope } from "../../core/limits/requestScope.ts";
import type { SqlParameter } from "../sql/dialect.ts";
import { StatementCache } from "../statementCache.ts";
import { TurnResults } from "../turnResults.ts";
import { endOfTurn } from "./endOfTurn.ts";
import { isStatementTimeout } from "./errors.ts";
import type { Row, Sql } from "./session.ts";

export interface ReadSchedulerOptions {
  /** Sessions on which no statement runs longer than `FAST_TIMEOUT_MS`. */
  fast: Sql;
  fastSessions: number;
  /** Sessions for slow statements, which run one at a time on each. */
  slow: Sql;
  slowSessions: number;
  /** Maximum time that a slow statement waits in the queue, in ms. */
  maxWaitMs: number;
}

/** Timeout of statements on the fast sessions, after which they are retried on the slow ones, in ms. */
export const FAST_TIMEOUT_MS = 200;
/** Statements whose average duration exceeds this start on the slow sessions, in ms. */
const SLOW_THRESHOLD_MS = 50;
/** Maximum number of queued statements, in total and per client. */
const MAX_WAITING = 1_000;
const MAX_WAITING_PER_CLIENT = 250;

/**
 * Statements of more characters have many conditions, sort keys or fields. Those of a client wait behind each other, and its
 * short ones in a queue of their own.
 */
const SHORT_CHARS = 2_000;

type Parameters = readonly (SqlParameter | null)[];

/**
 * Isolates slow statements from all others. Sessions are pipelined, so that everything after a slow statement waits for
 * it: a statement runs on the fast sessions with a short timeout and is retried on the slow ones. Statements of unknown
 * duration and slow ones are queued fairly among clients, and the short ones of a client apart from its long ones. Lookups
 * by key are not queued.
 */
export class ReadScheduler implements Sql {
  readonly #fast: Sql;
  readonly #slow: Sql;
  readonly #unknownQueue: FairQueue;
  readonly #slowQueue: FairQueue;
  /** Average duration in ms by statement. */
  readonly #averages = new StatementCache<number>();
  /** Reads that began in this turn of the event loop, at whose end they are sent. */
  readonly #fastOfTurn = new TurnResults<Promise<readonly Row[] | undefined>>(endOfTurn.forget);
  readonly #slowOfTurn = new TurnResults<Promise<readonly Row[]>>(endOfTurn.forget);

  constructor({ fast, fastSessions, slow, slowSessions, maxWaitMs }: ReadSchedulerOptions) {
    this.#fast = fast;
    this.#slow = slow;
    const shared = {
      maxWaiting: MAX_WAITING,
      maxWaitingPerKey: MAX_WAITING_PER_CLIENT,
      maxWaitMs,
      message: "The database is overloaded.",
    };
    this.#unknownQueue = new FairQueue({ ...shared, concurrency: fastSessions });
    this.#slowQueue = new FairQueue({ ...shared, concurrency: slowSessions });
  }

  /** Rejects with 155 (HTTP 429 or 503) if too many statements are queued, and with errors of the database. */
  async run(text: string, parameters: Parameters): Promise<readonly Row[]> {
    const average = this.#averages.get(text);
    const owner = { key: queueKeyOf(text.length <= SHORT_CHARS ? "short" : "long") };
    if (average === undefined || average <= SLOW_THRESHOLD_MS) {
      const rows = await (average === undefined
        ? this.#unknownQueue.run(owner, () => this.#runFast(text, parameters))
        : this.#runFastOnce(text, parameters));
      if (rows) return rows;
    }
    return this.#runSlowOnce(text, parameters, owner.key);
  }

  /** For lookups by key, which are fast unless the database is not, whatever else their client reads. */
  readonly byKey: Sql = {
    run: async (text, parameters) =>
      (await this.#runFastOnce(text, parameters)) ??
      this.#runSlowOnce(text, parameters, queueKeyOf("by key")),
  };

  /** For internal statements, which are not queued. */
  readonly internal: Sql = {
    run: async (text, parameters) =>
      (await this.#runFast(text, parameters)) ?? this.#slow.run(text, parameters),
  };

  /** Sends identical reads of one turn of the event loop once. */
  #runFastOnce(text: string, parameters: Parameters): Promise<readonly Row[] | undefined> {
    const run = () => this.#runFast(text, parameters);
    return isRead(text) ? this.#fastOfTurn.getOrRead(text, parameters, run) : run();
  }

  /** Queues identical reads of a client in one turn of the event loop once. */
  #runSlowOnce(text: string, parameters: Parameters, key: string | undefined): Promise<readonly Row[]> {
    const run = () => this.#slowQueue.run({ key }, () => this.#runTimed(this.#slow, text, parameters));
    return isRead(text) ? this.#slowOfTurn.getOrRead(`${key} ${text}`, parameters, run) : run();
  }

  /** Returns undefined if the statement exceeds the timeout of the fast sessions. */
  async #runFast(text: string, parameters: Parameters): Promise<readonly Row[] | undefined> {
    try {
      return await this.#runTimed(this.#fast, text, parameters);
    } catch (error) {
      if (!isStatementTimeout(error)) throw error;
      this.#averages.set(text, FAST_TIMEOUT_MS);
      return undefined;
    }
  }

  async #runTimed(sql: Sql, text: string, parameters: Parameters): Promise<readonly Row[]> {
    const started = performance.now();
    const rows = await sql.run(text, parameters);
    const ms = performance.now() - started;
    const average = this.#averages.get(text);
    this.#averages.set(text, average === undefined ? ms : average * 0.8 + ms * 0.2);
    return rows;
  }
}

/** The queue of a kind of statements of the current client; undefined for those of the server itself. */
function queueKeyOf(kind: "short" | "long" | "by key"): string | undefined {
  const group = currentScope()?.group;
  return group === undefined ? undefined : `${group} ${kind}`;
}

function isRead(text: string): boolean {
  return text.startsWith("SELECT");
}

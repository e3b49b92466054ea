import { performance } from "node:perf_hooks";
import { FairQueue } from "../../limits/fairQueue.ts";
import { currentScope } from "../../limits/requestScope.ts";
import type { SqlParameter } from "../sql/dialect.ts";
import { StatementMemory } from "../statementMemory.ts";
import { sqlState } from "./errors.ts";
import type { Row, Sql } from "./session.ts";

export interface ReadLanesOptions {
  /** Sessions on which no statement runs longer than `QUICK_TIMEOUT_MS`. */
  quick: Sql;
  quickSessions: number;
  /** Sessions for statements that take longer, one at a time each. */
  slow: Sql;
  slowSessions: number;
  /** How long a statement may wait for its turn among the slow ones, in ms. */
  maxWaitMs: number;
}

/** How long a statement may run among the quick ones before it runs again among the slow ones, in ms. */
export const QUICK_TIMEOUT_MS = 200;
/** Statements that take longer than this on average are slow ones from the beginning, in ms. */
const SLOW_FROM_MS = 50;
/** Statements that may wait, and those of one client. */
const MAX_WAITING = 1_000;
const MAX_WAITING_PER_CLIENT = 250;

type Parameters = readonly (SqlParameter | null)[];

/**
 * Keeps statements that take long away from all others. Sessions answer in order, so that whatever follows a slow
 * statement waits for it: a statement runs on the quick sessions for a short time only, and moves to the slow ones
 * where that is not enough. Clients take turns with statements that nothing is known of yet, and with slow ones.
 */
export class ReadLanes implements Sql {
  readonly #quick: Sql;
  readonly #slow: Sql;
  readonly #unknownTurns: FairQueue;
  readonly #slowTurns: FairQueue;
  /** Average duration in ms, by the text of the statement. */
  readonly #averages = new StatementMemory<number>();

  constructor({ quick, quickSessions, slow, slowSessions, maxWaitMs }: ReadLanesOptions) {
    this.#quick = quick;
    this.#slow = slow;
    const shared = {
      maxWaiting: MAX_WAITING,
      maxWaitingPerKey: MAX_WAITING_PER_CLIENT,
      maxWaitMs,
      message: "The database has too much to do.",
    };
    this.#unknownTurns = new FairQueue({ ...shared, concurrency: quickSessions });
    this.#slowTurns = new FairQueue({ ...shared, concurrency: slowSessions });
  }

  /** Rejects with 155 (HTTP 429 or 503) where too many statements wait, and with what the database says. */
  async run(text: string, parameters: Parameters): Promise<Row[]> {
    const average = this.#averages.get(text);
    const owner = { key: currentScope()?.group };
    if (average === undefined || average <= SLOW_FROM_MS) {
      const work = () => this.#runQuick(text, parameters);
      const rows = await (average === undefined ? this.#unknownTurns.run(owner, work) : work());
      if (rows) return rows;
    }
    return this.#slowTurns.run(owner, () => this.#timed(this.#slow, text, parameters));
  }

  /** Statements of the server itself, which wait for no turn. */
  readonly own: Sql = {
    run: async (text, parameters) =>
      (await this.#runQuick(text, parameters)) ?? this.#slow.run(text, parameters),
  };

  /** Undefined where the statement takes too long for the quick sessions. */
  async #runQuick(text: string, parameters: Parameters): Promise<Row[] | undefined> {
    try {
      return await this.#timed(this.#quick, text, parameters);
    } catch (error) {
      if (!isStatementTimeout(error)) throw error;
      this.#averages.set(text, QUICK_TIMEOUT_MS);
      return undefined;
    }
  }

  async #timed(sql: Sql, text: string, parameters: Parameters): Promise<Row[]> {
    const started = performance.now();
    const rows = await sql.run(text, parameters);
    const ms = performance.now() - started;
    const average = this.#averages.get(text);
    this.#averages.set(text, average === undefined ? ms : average * 0.8 + ms * 0.2);
    return rows;
  }
}

/** query_canceled, by the time limit. */
function isStatementTimeout(error: unknown): boolean {
  return sqlState(error) === "57014";
}

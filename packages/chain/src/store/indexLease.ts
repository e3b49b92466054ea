import { randomUUID } from "node:crypto";
import { performance } from "node:perf_hooks";
import type { Logger } from "../model/logger.ts";
import type { SqlPool, Transaction } from "./postgresSql.ts";

/** How long a term lasts without renewal: a process that freezes is replaced soon after, in ms. */
const TTL_MS = 3_000;
const RENEW_MS = 1_000;

/** A change came from a process that does not follow the chain any more. Nothing of it was written. */
export class LeaseLost extends Error {
  override readonly name = "LeaseLost";
}

export const LEASE_TABLE = `CREATE TABLE IF NOT EXISTS lease (
  id int PRIMARY KEY CHECK (id = 1), holder text NOT NULL, fence bigint NOT NULL, expires_at timestamptz NOT NULL)`;

/**
 * The right to follow a chain, of all processes that share its index. It lasts for seconds by the database's clock and is
 * renewed; each term has a number, which every change checks as a part of itself.
 */
export class IndexLease {
  readonly #sql: SqlPool;
  readonly #log: Logger;
  readonly #name: string;
  readonly #holder = randomUUID();
  #term: { fence: number; endsAt: number } | undefined;
  #timer: NodeJS.Timeout | undefined;
  #asking: Promise<void> | undefined;

  /** `name` stands in the log. */
  constructor(sql: SqlPool, name: string, log: Logger) {
    this.#sql = sql;
    this.#name = name;
    this.#log = log;
  }

  /** The number of the term that lasts now; undefined where another process follows the chain. */
  get term(): number | undefined {
    return this.#term && this.#term.endsAt > performance.now() ? this.#term.fence : undefined;
  }

  /** Whether this process may follow the chain; takes the lease where nobody has it, and renews it from then on. */
  async hold(): Promise<boolean> {
    this.#timer ??= setInterval(() => {
      // Only a term that has begun is renewed: whether to begin one is for whoever asks.
      if (this.#term) void this.#ask();
    }, RENEW_MS).unref();
    if (this.term === undefined) await this.#ask();
    return this.term !== undefined;
  }

  /** Makes sure that the term lasts until the transaction has ended. Throws LeaseLost. */
  async check(transaction: Transaction): Promise<void> {
    // After a long piece of work the term may have to be begun anew; where another has, it cannot.
    if (this.term === undefined) await this.#ask();
    const fence = this.term;
    const [held] =
      fence === undefined
        ? []
        : await transaction`SELECT 1 FROM lease
            WHERE holder = ${this.#holder} AND fence = ${fence} AND expires_at > clock_timestamp() FOR SHARE`;
    if (!held) throw new LeaseLost("another process follows the chain");
  }

  /** Gives the lease back. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#asking;
    if (!this.#term) return;
    this.#term = undefined;
    await this.#sql`UPDATE lease SET expires_at = '-infinity' WHERE holder = ${this.#holder}`;
  }

  #ask(): Promise<void> {
    this.#asking ??= this.#renew().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #renew(): Promise<void> {
    const before = this.#term;
    // The database counts from when it is asked, which is later.
    const askedAt = performance.now();
    try {
      const [row] = await this.#sql<{ fence: number }>`
        INSERT INTO lease AS known VALUES (1, ${this.#holder}, 1, clock_timestamp() + ${TTL_MS}::float8 * interval '1 millisecond')
        ON CONFLICT (id) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at,
          fence = known.fence + (known.holder <> excluded.holder OR known.expires_at <= clock_timestamp())::int
        WHERE known.holder = excluded.holder OR known.expires_at <= clock_timestamp()
        RETURNING fence`;
      this.#term = row && { fence: row.fence, endsAt: askedAt + TTL_MS };
    } catch (error) {
      this.#log.warn("the lease of a chain could not be renewed", {
        lease: this.#name,
        error: String(error),
      });
      if (this.term !== undefined) return;
      this.#term = undefined;
    }
    if (before?.fence === this.#term?.fence) return;
    if (before) {
      this.#log.warn("a lease was lost: this process stands down", { lease: this.#name, term: before.fence });
    }
    if (this.#term) this.#log.info("a lease was taken", { lease: this.#name, term: this.#term.fence });
  }
}

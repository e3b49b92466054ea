import { randomUUID } from "node:crypto";
import { performance } from "node:perf_hooks";
import { sql } from "kysely";
import type { Logger } from "../model/logger.ts";
import { errorCodeOf, UNDEFINED_TABLE } from "./connectionErrors.ts";
import type { Sql, SqlPool, Transaction } from "./postgresSql.ts";

/** Duration of the lease without renewal, in ms: a frozen process is replaced soon after. */
const TTL_MS = 3_000;
const RENEW_MS = 1_000;

/** This process no longer holds the lease of the chain. The change was rolled back. */
export class LeaseLostError extends Error {
  override readonly name = "LeaseLostError";
}

export const LEASE_TABLE = `CREATE TABLE IF NOT EXISTS lease (
  id int PRIMARY KEY CHECK (id = 1), holder text NOT NULL, fence bigint NOT NULL, expires_at timestamptz NOT NULL)`;

/** What the holders of this version and later ones begin with; see `REFUSES_OLDER_HOLDERS`. */
const HOLDER_PREFIX = "beside:";
/** The holder of the lease of an index whose place another one has taken. */
export const REPLACED_HOLDER = `${HOLDER_PREFIX}replaced`;
/**
 * Refuses the lease to processes of versions that do not notice that another index has taken the place of the one they
 * opened. The name of the constraint is in their log.
 */
export const REFUSES_OLDER_HOLDERS = `ALTER TABLE lease
  ADD CONSTRAINT index_of_a_newer_version CHECK (starts_with(holder, '${HOLDER_PREFIX}'))`;

/**
 * Ends sessions amid a statement on this index whose client has been silent for more than a second: a process that
 * froze while it copied rows. PostgreSQL counts such a statement as running, so that no timeout releases its locks.
 */
const END_ABANDONED_WRITES = `SELECT pid, pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid() AND state = 'active' AND wait_event = 'ClientRead'
    AND query_start < clock_timestamp() - interval '1 second'
    AND pid IN (SELECT pid FROM pg_locks WHERE relation IN (
      SELECT oid FROM pg_class WHERE relnamespace = to_regnamespace(quote_ident(current_schema()))))`;

/** The id of the schema that statements use, which stays the same when it is renamed. */
const SCHEMA_ID = sql`SELECT oid::int8 FROM pg_namespace WHERE nspname = current_schema()`;

/** Returns the id of the schema of an index: another one means that another index has taken its place. */
export async function readSchemaId(connection: Sql): Promise<number> {
  const [row] = await connection<{ id: number | null }>`SELECT (${SCHEMA_ID}) AS id`;
  return row?.id ?? 0;
}

/**
 * Lease of an index: the process that holds it is the only one that indexes the chain. It expires after seconds by
 * the database's clock and is renewed. Each term has a fencing number, which every change verifies.
 */
export class IndexLease {
  readonly #sql: SqlPool;
  readonly #log: Logger;
  readonly #name: string;
  readonly #schemaId: number;
  readonly #holder = `${HOLDER_PREFIX}${randomUUID()}`;
  #currentTerm: { fence: number; endsAt: number } | undefined;
  #timer: NodeJS.Timeout | undefined;
  #renewal: Promise<void> | undefined;
  #onLost: (() => void) | undefined;

  /** `name` is used in log messages. The lease is only that of the index with this id (`readSchemaId()`). */
  constructor(sql: SqlPool, name: string, schemaId: number, log: Logger) {
    this.#sql = sql;
    this.#schemaId = schemaId;
    this.#name = name;
    this.#log = log;
  }

  /** The fencing number of the current term; undefined if another process holds the lease. */
  get term(): number | undefined {
    return this.#currentTerm && this.#currentTerm.endsAt > performance.now()
      ? this.#currentTerm.fence
      : undefined;
  }

  /** Sets what is called when another process can have taken over. */
  onLost(listener: () => void): void {
    this.#onLost = listener;
  }

  /** Whether this process holds the lease. Acquires it if it is free, and renews it from then on. */
  async acquire(): Promise<boolean> {
    this.#timer ??= setInterval(() => {
      // Only a running term is renewed; a new one is started by acquire().
      if (this.#currentTerm) void this.#renewOnce();
    }, RENEW_MS).unref();
    if (this.term === undefined) await this.#renewOnce();
    return this.term !== undefined;
  }

  /** Verifies that the lease is held until the transaction ends. Throws LeaseLostError. */
  async assertHeld(transaction: Transaction): Promise<void> {
    // The term may have expired during a long operation. It can be restarted unless another process has taken over.
    if (this.term === undefined) await this.#renewOnce();
    const fence = this.term;
    const [isHeld] =
      fence === undefined
        ? []
        : await transaction`SELECT 1 FROM lease
            WHERE holder = ${this.#holder} AND fence = ${fence} AND expires_at > clock_timestamp()
              AND (${SCHEMA_ID}) = ${this.#schemaId} FOR SHARE`;
    if (!isHeld) throw new LeaseLostError("another process indexes the chain");
  }

  /** Releases the lease; it expires if the database cannot be reached. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#renewal;
    if (!this.#currentTerm) return;
    this.#currentTerm = undefined;
    await this.#sql`UPDATE lease SET expires_at = '-infinity' WHERE holder = ${this.#holder}`.catch(
      (error: unknown) => {
        if (errorCodeOf(error) === UNDEFINED_TABLE) return;
        this.#log.warn("the lease could not be released", { lease: this.#name, error: String(error) });
      },
    );
  }

  #renewOnce(): Promise<void> {
    this.#renewal ??= this.#renew().finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  async #renew(): Promise<void> {
    const previous = this.#currentTerm;
    // The database starts counting when it receives the statement, which is later.
    const requestedAt = performance.now();
    try {
      const [row] = await this.#sql<{ fence: number }>`
        INSERT INTO lease AS known
        SELECT 1, ${this.#holder}, 1, clock_timestamp() + ${TTL_MS}::float8 * interval '1 millisecond'
        WHERE (${SCHEMA_ID}) = ${this.#schemaId}
        ON CONFLICT (id) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at,
          fence = known.fence + (known.holder <> excluded.holder OR known.expires_at <= clock_timestamp())::int
        WHERE known.holder = excluded.holder OR known.expires_at <= clock_timestamp()
        RETURNING fence`;
      this.#currentTerm = row && { fence: row.fence, endsAt: requestedAt + TTL_MS };
    } catch (error) {
      if (errorCodeOf(error) !== UNDEFINED_TABLE)
        this.#log.warn("the lease could not be renewed", { lease: this.#name, error: String(error) });
      else if (previous) previous.endsAt = 0;
      if (this.term !== undefined) return;
      this.#currentTerm = undefined;
    }
    if (previous?.fence === this.#currentTerm?.fence) return;
    if (previous) {
      this.#log.warn("the lease was lost: this process stands down", {
        lease: this.#name,
        term: previous.fence,
      });
      this.#onLost?.();
    }
    if (!this.#currentTerm) return;
    const { fence } = this.#currentTerm;
    this.#log.info("lease acquired", { lease: this.#name, term: fence });
    const isOwnSuccessor = previous !== undefined && fence === previous.fence + 1;
    if (!isOwnSuccessor) await this.#endAbandonedWrites();
  }

  /** The previous leader may have frozen in the middle of a write, whose locks the next one needs. */
  async #endAbandonedWrites(): Promise<void> {
    try {
      const { count } = await this.#sql.unsafe(END_ABANDONED_WRITES);
      if (count > 0)
        this.#log.warn("ended the unfinished writes of a frozen process", { lease: this.#name, count });
    } catch (error) {
      this.#log.warn("unfinished writes of the previous leader could not be ended", {
        lease: this.#name,
        error: String(error),
      });
    }
  }
}

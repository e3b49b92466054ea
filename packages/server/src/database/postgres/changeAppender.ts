import { type DecodedTransaction, formatLsn, parseLsn } from "./decodedTransactions.ts";
import { createEpoch } from "./decodingLayout.ts";
import type { Sql } from "./session.ts";

/**
 * Moves the position and adds the changes up to it, in one statement: each change is in the log exactly once, whichever
 * process reads the slot, and however often. Its commit waits for a synchronous standby, after those of the changes:
 * what others learn of can be read, and survives a failover.
 */
const APPEND = `WITH moved AS (UPDATE purse_decoding SET lsn = ?::pg_lsn WHERE lsn = ?::pg_lsn RETURNING 1),
  begun AS MATERIALIZED (SELECT purse_begin_append() FROM moved),
  added AS (
    INSERT INTO purse_log (at, class_name, object_id, was, became)
    SELECT (made ->> 0)::bigint, made ->> 1, made ->> 2, nullif(made -> 3, 'null'), nullif(made -> 4, 'null')
    FROM begun, jsonb_array_elements(?::text::jsonb) WITH ORDINALITY AS change(made, place) ORDER BY place)
  SELECT count(*) FROM moved`;
/** Moves the position past changes that are not added: all readers subscribe again, and their clients query again. */
const SKIP = `WITH moved AS (UPDATE purse_decoding SET lsn = ?::pg_lsn WHERE lsn = ?::pg_lsn RETURNING 1),
  renewed AS (UPDATE purse_log_state SET epoch = ? FROM moved)
  SELECT count(*) FROM moved`;
const MOVE = "UPDATE purse_decoding SET lsn = ?::pg_lsn WHERE lsn = ?::pg_lsn RETURNING 1";

/** Adds decoded changes to the log. */
export class ChangeAppender {
  readonly #sql: Sql;
  readonly #classNames = new Map<number, string>();
  #stored: bigint;

  /** `stored` is the commit up to which the log has all changes. */
  constructor(sql: Sql, stored: bigint) {
    this.#sql = sql;
    this.#stored = stored;
  }

  /** The commit up to which the log has all changes. */
  get stored(): bigint {
    return this.#stored;
  }

  /**
   * Adds the changes of transactions, or begins a new epoch if one of them is too large. Returns the classes of the
   * changes; undefined after a new epoch, which concerns all. Rejects if another process has added some meanwhile.
   */
  async append(transactions: readonly DecodedTransaction[]): Promise<ReadonlySet<string> | undefined> {
    const classNames = new Set<string>();
    const last = transactions.at(-1);
    if (!last) return classNames;
    if (transactions.some(({ isTooLarge }) => isTooLarge)) {
      await this.#run(SKIP, last.lsn, [createEpoch()]);
      return undefined;
    }
    const items: string[] = [];
    for (const { at, changes } of transactions) {
      for (const { table, id, before, after } of changes) {
        const className = this.#classNames.get(table) ?? (await this.#loadClassName(table));
        if (className === undefined) continue;
        classNames.add(className);
        const names = `${JSON.stringify(className)},${JSON.stringify(id)}`;
        items.push(`[${at},${names},${before ?? "null"},${after ?? "null"}]`);
      }
    }
    if (items.length === 0) await this.#run(MOVE, last.lsn, []);
    else await this.#run(APPEND, last.lsn, [`[${items.join()}]`]);
    return classNames;
  }

  /** Stores that there are no changes up to a position. */
  async advance(position: bigint): Promise<void> {
    if (position > this.#stored) await this.#run(MOVE, position, []);
  }

  async #run(statement: string, position: bigint, more: string[]): Promise<void> {
    const [row] = await this.#sql.run(statement, [formatLsn(position), formatLsn(this.#stored), ...more]);
    // A lost response is followed by a second attempt, which changes nothing.
    if (Number(row?.[0] ?? 0) === 0 && (await this.#load()) !== position)
      throw new Error("another process has decoded the changes");
    this.#stored = position;
  }

  async #load(): Promise<bigint> {
    const [row] = await this.#sql.run("SELECT lsn FROM purse_decoding", []);
    return parseLsn(row?.[0] ?? null);
  }

  /** Loads the class of a table, which was stored before the table was published. */
  async #loadClassName(table: number): Promise<string | undefined> {
    const rows = await this.#sql.run("SELECT id, class_name FROM purse_decoded_tables", []);
    for (const [id, name] of rows) this.#classNames.set(Number(id), String(name));
    return this.#classNames.get(table);
  }
}

import type { Sql } from "./session.ts";

/**
 * The positions of the write-ahead log that replicas must have reached before they may answer a client. The row without
 * a key applies to all clients. A crash or a failover of the database empties the table, and thereby removes that row.
 */
export const WRITE_POSITIONS_TABLE = `CREATE UNLOGGED TABLE purse_write_positions (
  key text COLLATE "C" PRIMARY KEY, position pg_lsn NOT NULL, at bigint NOT NULL) WITH (fillfactor = 50)`;

/** The key of writes whose client is unknown: all clients see them. */
const EVERYONE = "";

/** Rows are locked in the order of their keys, so that processes do not deadlock. */
const RECORD = `INSERT INTO purse_write_positions AS known (key, position, at)
  SELECT key, pg_current_wal_insert_lsn(), (extract(epoch FROM clock_timestamp()) * 1000)::bigint
  FROM jsonb_array_elements_text(?::text::jsonb) AS writer(key) ORDER BY key
  ON CONFLICT (key) DO UPDATE SET position = greatest(known.position, excluded.position), at = excluded.at`;
const REQUIRED = `SELECT max(position), bool_or(key = '') FROM purse_write_positions
  WHERE key = ANY (ARRAY(SELECT jsonb_array_elements_text(?::text::jsonb)))`;
/** A replica that is that far behind is not read. */
const DELETE_OLD = `DELETE FROM purse_write_positions
  WHERE key <> '' AND at < (extract(epoch FROM clock_timestamp() - interval '1 hour') * 1000)::bigint`;

/** Returns a position of the write-ahead log, such as `16/B374D848`, as a number. */
export function parsePosition(text: string): bigint {
  const [high = "0", low = "0"] = text.split("/");
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`);
}

/** The positions of acknowledged writes by client, for all processes that share the database. */
export class WritePositions {
  readonly #sql: Sql;
  #pending: Set<string> | undefined;
  #flushed: Promise<void> = Promise.resolve();
  /** How many times recording has failed, and after how many of these everyone's position was recorded. */
  #failures = 0;
  #repairedFailures = 0;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /**
   * Records that a client has written; without a client, that somebody has. Called after the commit and before the
   * response. Never rejects: `required` returns undefined until the write has been recorded.
   */
  record(client: readonly string[] = [EVERYONE]): Promise<void> {
    if (this.#pending === undefined) {
      const keys = new Set<string>();
      this.#pending = keys;
      // The writes of one commit are recorded by one statement.
      this.#flushed = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
        this.#pending = undefined;
        return this.#write([...keys]);
      });
    }
    for (const key of client) this.#pending.add(key);
    return this.#flushed;
  }

  /**
   * Returns the position that a replica must have reached to answer a client; undefined if only the primary may answer.
   * Rejects if the database cannot be reached.
   */
  async required(client: readonly string[] = []): Promise<bigint | undefined> {
    if (this.#hasGap()) return undefined;
    const [row] = await this.#sql.run(REQUIRED, [JSON.stringify([EVERYONE, ...client])]);
    const [position, isComplete] = row ?? [];
    if (isComplete === "t" && position) return parsePosition(position);
    // The positions before a crash are lost: from now on, replicas must have everything up to here.
    await this.record();
    return undefined;
  }

  /** Tries again to record writes that could not be recorded. */
  async retry(): Promise<void> {
    if (this.#hasGap()) await this.record();
  }

  async deleteOld(): Promise<void> {
    await this.#sql.run(DELETE_OLD, []);
  }

  #hasGap(): boolean {
    return this.#failures > this.#repairedFailures;
  }

  async #write(keys: readonly string[]): Promise<void> {
    const failures = this.#failures;
    // Whose writes could not be recorded is not remembered.
    const recorded = new Set(this.#hasGap() ? [...keys, EVERYONE] : keys);
    try {
      await this.#sql.run(RECORD, [JSON.stringify([...recorded])]);
      if (recorded.has(EVERYONE)) this.#repairedFailures = Math.max(this.#repairedFailures, failures);
    } catch {
      this.#failures += 1;
    }
  }
}

import { errorCodeOf, UNDEFINED_TABLE } from "./connectionErrors.ts";
import { INDEX_DATABASE_UNAVAILABLE, IndexDatabaseError, IndexReadError } from "./indexErrors.ts";
import type { PostgresLocation } from "./indexLocation.ts";
import { compileQuery, type IndexChange, type IndexQuery } from "./indexQuery.ts";
import { type IndexReader, POSTGRES, READ_LIMITS, type ReadKind, type ReadLimits } from "./indexReader.ts";
import { openPostgres } from "./postgresConnection.ts";
import type { SqlPool } from "./postgresSql.ts";
import { ReadQuota } from "./readQuota.ts";

/** Error code of a statement that exceeded `statement_timeout`. */
const QUERY_CANCELED = "57014";

export class PostgresReader implements IndexReader {
  readonly dialect = POSTGRES;
  readonly #sql: Readonly<Record<ReadKind, SqlPool>>;

  constructor(sql: Readonly<Record<ReadKind, SqlPool>>) {
    this.#sql = sql;
  }

  async all<Row>(query: IndexQuery<Row>, kind: ReadKind = "lookup"): Promise<Row[]> {
    // The query determines the type of its rows.
    return [...(await this.#run(query, kind))] as Row[];
  }

  async change(query: IndexChange): Promise<number> {
    return (await this.#run(query, "lookup")).count;
  }

  #run(query: IndexChange, kind: ReadKind) {
    const { text, parameters } = compileQuery(this.dialect.compiler, query);
    return this.#sql[kind].unsafe(text, parameters, { prepare: true });
  }

  async close(): Promise<void> {
    const all = new Set([this.#sql.lookup, this.#sql.list]);
    await Promise.all([...all].map((sql) => sql.end()));
  }
}

/**
 * For requests: lookups and lists use separate connections, statements have a timeout by category, and concurrent
 * reads per client are limited.
 */
export function createBoundedPostgresReader(
  location: PostgresLocation,
  connections: number,
  limits: ReadLimits = READ_LIMITS,
): IndexReader {
  const lists = Math.max(1, Math.floor(connections / 2));
  const open = (kind: ReadKind, count: number) => openPostgres(location, kind, count, limits[kind].timeoutMs);
  const reader = new PostgresReader({
    lookup: open("lookup", Math.max(1, connections - lists)),
    list: open("list", lists),
  });
  return new BoundedReader(reader, limits);
}

class BoundedReader implements IndexReader {
  readonly dialect = POSTGRES;
  readonly #reader: PostgresReader;
  readonly #limits: ReadLimits;
  readonly #quota = new ReadQuota();

  constructor(reader: PostgresReader, limits: ReadLimits) {
    this.#reader = reader;
    this.#limits = limits;
  }

  async all<Row>(query: IndexQuery<Row>, kind?: ReadKind): Promise<Row[]> {
    try {
      return await this.#quota.run(() => this.#reader.all(query, kind));
    } catch (error) {
      // The indexer has not created the tables of a new index yet.
      if (error instanceof IndexDatabaseError || errorCodeOf(error) === UNDEFINED_TABLE)
        throw new IndexReadError("unavailable", INDEX_DATABASE_UNAVAILABLE);
      if (errorCodeOf(error) !== QUERY_CANCELED) throw error;
      throw new IndexReadError(
        "timeout",
        `it took longer than ${this.#limits[kind ?? "lookup"].timeoutMs / 1000} s`,
      );
    }
  }

  change(): Promise<number> {
    return Promise.reject(new Error("this reader is read-only"));
  }

  close(): Promise<void> {
    return this.#reader.close();
  }
}

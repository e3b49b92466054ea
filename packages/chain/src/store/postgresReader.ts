import { IndexReadError } from "./indexErrors.ts";
import type { PostgresLocation } from "./indexLocation.ts";
import { compileQuery, type IndexChange, type IndexQuery } from "./indexQuery.ts";
import { type IndexReader, POSTGRES, READ_LIMITS, type ReadKind, type ReadLimits } from "./indexReader.ts";
import { openPostgres } from "./postgresConnection.ts";
import type { SqlPool } from "./postgresSql.ts";
import { currentGroup } from "./requestGroup.ts";

/** Max running and waiting reads: in total, and per client. */
const MAX_READS = 200;
const MAX_READS_PER_GROUP = 50;
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
  readonly #runningByGroup = new Map<string | undefined, number>();
  #running = 0;

  constructor(reader: PostgresReader, limits: ReadLimits) {
    this.#reader = reader;
    this.#limits = limits;
  }

  async all<Row>(query: IndexQuery<Row>, kind?: ReadKind): Promise<Row[]> {
    const group = currentGroup();
    const groupReads = this.#runningByGroup.get(group) ?? 0;
    if (this.#running >= MAX_READS || (group !== undefined && groupReads >= MAX_READS_PER_GROUP))
      throw new IndexReadError("busy", `${this.#running} reads are already running or waiting`);
    this.#running += 1;
    this.#runningByGroup.set(group, groupReads + 1);
    try {
      return await this.#reader.all(query, kind);
    } catch (error) {
      if (!isCanceled(error)) throw error;
      throw new IndexReadError(
        "timeout",
        `it took longer than ${this.#limits[kind ?? "lookup"].timeoutMs / 1000} s`,
      );
    } finally {
      this.#running -= 1;
      const remaining = (this.#runningByGroup.get(group) ?? 1) - 1;
      if (remaining > 0) this.#runningByGroup.set(group, remaining);
      else this.#runningByGroup.delete(group);
    }
  }

  change(): Promise<number> {
    return Promise.reject(new Error("this reader is read-only"));
  }

  close(): Promise<void> {
    return this.#reader.close();
  }
}

function isCanceled(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === QUERY_CANCELED;
}

import {
  PostgresQueryCompiler,
  type QueryCompiler,
  type RawBuilder,
  type SqlBool,
  SqliteQueryCompiler,
  sql,
} from "kysely";
import type { IndexChange, IndexQuery } from "./indexQuery.ts";
import { POSTGRES_TERMS } from "./schema.ts";

/**
 * Cost category of a read. `lookup`: a few rows by key; `list`: a page of a list, a sum or a count, whose statement
 * includes `dialect.deadlineCheck` as a condition.
 */
export type ReadKind = "lookup" | "list";

/** Limits of reads for requests: timeout in ms and max rows. */
export type ReadLimits = Readonly<Record<ReadKind, { timeoutMs: number; maxRows: number }>>;

export const READ_LIMITS: ReadLimits = {
  lookup: { timeoutMs: 2_000, maxRows: 20_000 },
  list: { timeoutMs: 5_000, maxRows: 200_000 },
};

/** Executes queries on an index. */
export interface IndexReader {
  readonly dialect: Dialect;
  /** Rejects with IndexReadError if the read does not complete. */
  all<Row>(query: IndexQuery<Row>, kind?: ReadKind): Promise<Row[]>;
  /** Executes a change in a transaction; returns the number of changed rows. */
  change(query: IndexChange): Promise<number>;
  close(): Promise<void>;
}

/** SQL differences between the databases. */
export interface Dialect {
  compiler: QueryCompiler;
  bytes: RawBuilder<unknown>;
  integer: RawBuilder<unknown>;
  /**
   * A condition for statements that may scan many rows: aborts the statement at its deadline. Always true if the
   * database supports timeouts.
   */
  deadlineCheck: RawBuilder<SqlBool>;
  /** Suffix of a SELECT whose rows must stay until the transaction ends. */
  rowLock: RawBuilder<unknown>;
  /** Condition for rows of `nft_metadata` that match all terms, given by their alternatives; terms match prefixes. */
  matchesTerms(terms: readonly (readonly string[])[]): RawBuilder<SqlBool>;
}

/** For statements in the indexer's thread. */
export const UNBOUNDED_SQLITE: Dialect = sqliteDialect(sql`true`);

/**
 * For statements in the threads of `SqliteReaderPool`, which can be aborted only by a function that they call. Checks
 * one of sixteen rows, chosen at random: it costs almost nothing, and no query can avoid the check.
 */
export const SQLITE: Dialect = sqliteDialect(sql`(random() & 15 OR index_checkpoint())`);

export const POSTGRES: Dialect = {
  compiler: new PostgresQueryCompiler(),
  bytes: sql`bytea`,
  integer: sql`int8`,
  deadlineCheck: sql`true`,
  rowLock: sql`FOR KEY SHARE`,
  matchesTerms(terms) {
    const text = terms.map((each) => `(${each.map((term) => `'${term}':*`).join(" | ")})`).join(" & ");
    return sql`${sql.raw(POSTGRES_TERMS)} @@ CAST(${text} AS tsquery)`;
  },
};

function sqliteDialect(deadlineCheck: RawBuilder<SqlBool>): Dialect {
  return {
    compiler: new SqliteQueryCompiler(),
    bytes: sql`BLOB`,
    integer: sql`INTEGER`,
    deadlineCheck,
    // There is only one writer.
    rowLock: sql``,
    matchesTerms(terms) {
      const text = terms.map((each) => `(${each.map((term) => `"${term}"*`).join(" OR ")})`).join(" AND ");
      return sql`id IN (SELECT rowid FROM nft_words WHERE nft_words MATCH ${text} AND ${deadlineCheck})`;
    },
  };
}

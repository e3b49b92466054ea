import { POSTGRES_TERMS } from "./schema.ts";

export type SqlValue = string | number | Uint8Array | null;

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

/** Executes SQL on an index. The SQL is the same for both databases, with `?` as placeholders. */
export interface IndexReader {
  readonly dialect: Dialect;
  /** Rejects with IndexReadError if the read does not complete. */
  all<Row>(text: string, parameters: readonly SqlValue[], kind?: ReadKind): Promise<Row[]>;
  /** Executes a change in a transaction; returns the number of changed rows. */
  change(text: string, parameters: readonly SqlValue[]): Promise<number>;
  close(): Promise<void>;
}

/** SQL differences between the databases. */
export interface Dialect {
  bytes: string;
  integer: string;
  /**
   * A condition with leading AND for statements that may scan many rows: aborts the statement at its deadline. Empty
   * if the database supports timeouts.
   */
  deadlineCheck: string;
  /** Suffix of a SELECT whose rows must stay until the transaction ends. */
  rowLock: string;
  /** Condition for rows of `nft_metadata` that match terms, with `?` for the result of `termsQuery`. */
  matchesTerms: string;
  /** Creates a full-text query from alternatives for each term; terms match prefixes. */
  termsQuery(terms: readonly (readonly string[])[]): string;
}

/** For statements in the indexer's thread. */
export const UNBOUNDED_SQLITE: Dialect = {
  bytes: "BLOB",
  integer: "INTEGER",
  deadlineCheck: "",
  // There is only one writer.
  rowLock: "",
  matchesTerms: "id IN (SELECT rowid FROM nft_words WHERE nft_words MATCH ?)",
  termsQuery: (terms) =>
    terms.map((each) => `(${each.map((term) => `"${term}"*`).join(" OR ")})`).join(" AND "),
};

/** Checks one of sixteen rows, chosen at random: it costs almost nothing, and no query can avoid the check. */
const SQLITE_DEADLINE_CHECK = " AND (random() & 15 OR index_checkpoint())";

/** For statements in the threads of `SqliteReaderPool`, which can be aborted only by a function that they call. */
export const SQLITE: Dialect = {
  ...UNBOUNDED_SQLITE,
  deadlineCheck: SQLITE_DEADLINE_CHECK,
  matchesTerms: `id IN (SELECT rowid FROM nft_words WHERE nft_words MATCH ?${SQLITE_DEADLINE_CHECK})`,
};

export const POSTGRES: Dialect = {
  bytes: "bytea",
  integer: "int8",
  deadlineCheck: "",
  rowLock: " FOR KEY SHARE",
  matchesTerms: `${POSTGRES_TERMS} @@ CAST(? AS tsquery)`,
  termsQuery: (terms) =>
    terms.map((each) => `(${each.map((term) => `'${term}':*`).join(" | ")})`).join(" & "),
};

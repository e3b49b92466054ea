import { POSTGRES_WORDS } from "./schema.ts";

export type SqlValue = string | number | Uint8Array | null;

/**
 * What a read may cost. `lookup`: some rows that are found by their keys; `list`: a part of a list, or a sum or count of
 * one, whose statement has `dialect.visits` among its conditions.
 */
export type ReadKind = "lookup" | "list";

/** For requests: how long one read may run, in ms, and how many rows it may have. */
export type ReadLimits = Readonly<Record<ReadKind, { timeoutMs: number; maxRows: number }>>;

export const READ_LIMITS: ReadLimits = {
  lookup: { timeoutMs: 2_000, maxRows: 20_000 },
  list: { timeoutMs: 5_000, maxRows: 200_000 },
};

/** Asks an index. The SQL is the same for both databases, with `?` for its parameters. */
export interface IndexReader {
  readonly dialect: Dialect;
  /** Rejects with IndexReadError where the read does not come to its end. */
  all<Row>(text: string, parameters: readonly SqlValue[], kind?: ReadKind): Promise<Row[]>;
  /** Runs what changes rows, as one transaction; answers how many it has changed. */
  change(text: string, parameters: readonly SqlValue[]): Promise<number>;
  close(): Promise<void>;
}

/** What the databases call differently in questions and changes. */
export interface Dialect {
  bytes: string;
  integer: string;
  /**
   * A condition, with AND before it, of statements that may visit many rows: lets the statement end at its deadline.
   * Empty where the database does that by itself.
   */
  visits: string;
  /** Behind a SELECT of rows that have to stay until the change is done. */
  keeping: string;
  /** The condition that a row of `nft_metadata` has words, with `?` for what `wordsQuery` makes of them. */
  hasWords: string;
  /** For each word, its spellings; a word is also found by its beginning. */
  wordsQuery(words: readonly (readonly string[])[]): string;
}

/** For statements in the thread that keeps the index. */
export const UNBOUNDED_SQLITE: Dialect = {
  bytes: "BLOB",
  integer: "INTEGER",
  visits: "",
  // There is one who writes at a time.
  keeping: "",
  hasWords: "id IN (SELECT rowid FROM nft_words WHERE nft_words MATCH ?)",
  wordsQuery: (words) =>
    words.map((each) => `(${each.map((word) => `"${word}"*`).join(" OR ")})`).join(" AND "),
};

/** One row of sixteen, at random: that costs next to nothing, and nobody can choose rows that are not among them. */
const SQLITE_VISITS = " AND (random() & 15 OR index_checkpoint())";

/** For statements in the threads of `SqliteReads`, whose loops end by nothing but what they call. */
export const SQLITE: Dialect = {
  ...UNBOUNDED_SQLITE,
  visits: SQLITE_VISITS,
  hasWords: `id IN (SELECT rowid FROM nft_words WHERE nft_words MATCH ?${SQLITE_VISITS})`,
};

export const POSTGRES: Dialect = {
  bytes: "bytea",
  integer: "int8",
  visits: "",
  keeping: " FOR KEY SHARE",
  hasWords: `${POSTGRES_WORDS} @@ CAST(? AS tsquery)`,
  wordsQuery: (words) =>
    words.map((each) => `(${each.map((word) => `'${word}':*`).join(" | ")})`).join(" & "),
};

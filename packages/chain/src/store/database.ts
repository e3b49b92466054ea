import type { Database as SqliteFile, Statement } from "better-sqlite3";
import { POSTGRES_WORDS } from "./layout.ts";
import { openPostgres, type PostgresPlace, preparePostgres, type Sql } from "./postgresIndex.ts";
import { openSqliteFile } from "./sqliteIndex.ts";

/** Where the index of one chain is kept. */
export type IndexPlace = { kind: "sqlite"; path: string } | ({ kind: "postgres" } & PostgresPlace);

export type SqlValue = string | number | Uint8Array | null;

/** Asks an index. The SQL is the same for both databases, with `?` for its parameters. */
export interface IndexReader {
  readonly dialect: Dialect;
  all<Row>(text: string, parameters: readonly SqlValue[]): Promise<Row[]>;
  /** Runs what changes rows, as one transaction; answers how many it has changed. */
  change(text: string, parameters: readonly SqlValue[]): Promise<number>;
  close(): Promise<void>;
}

/** Makes the tables where they are missing. */
export async function openReader(place: IndexPlace, connections = 4): Promise<IndexReader> {
  if (place.kind === "sqlite") return new SqliteReader(openSqliteFile(place.path));
  const sql = openPostgres(place, connections);
  await preparePostgres(sql, place.schema);
  return new PostgresReader(sql);
}

/** What the databases call differently in questions and changes. */
export interface Dialect {
  bytes: string;
  integer: string;
  /** Behind a SELECT of rows that have to stay until the change is done. */
  keeping: string;
  /** The condition that a row of `nft_metadata` has words, with `?` for what `wordsQuery` makes of them. */
  hasWords: string;
  /** For each word, its spellings; a word is also found by its beginning. */
  wordsQuery(words: readonly (readonly string[])[]): string;
}

const SQLITE: Dialect = {
  bytes: "BLOB",
  integer: "INTEGER",
  // There is one who writes at a time.
  keeping: "",
  hasWords: "id IN (SELECT rowid FROM nft_words WHERE nft_words MATCH ?)",
  wordsQuery: (words) =>
    words.map((each) => `(${each.map((word) => `"${word}"*`).join(" OR ")})`).join(" AND "),
};

const POSTGRES: Dialect = {
  bytes: "bytea",
  integer: "int8",
  keeping: " FOR KEY SHARE",
  hasWords: `${POSTGRES_WORDS} @@ CAST(? AS tsquery)`,
  wordsQuery: (words) =>
    words.map((each) => `(${each.map((word) => `'${word}':*`).join(" | ")})`).join(" & "),
};

const KEPT_STATEMENTS = 500;

class SqliteReader implements IndexReader {
  readonly dialect = SQLITE;
  readonly #file: SqliteFile;
  readonly #statements = new Map<string, Statement<unknown[], unknown>>();

  constructor(file: SqliteFile) {
    this.#file = file;
  }

  async all<Row>(text: string, parameters: readonly SqlValue[]): Promise<Row[]> {
    // What a statement answers is as its text says.
    return this.#prepared(text).all(...parameters) as Row[];
  }

  async change(text: string, parameters: readonly SqlValue[]): Promise<number> {
    return this.#prepared(text).run(...parameters).changes;
  }

  #prepared(text: string): Statement<unknown[], unknown> {
    let statement = this.#statements.get(text);
    if (!statement) {
      if (this.#statements.size >= KEPT_STATEMENTS) this.#statements.clear();
      statement = this.#file.prepare(text);
      this.#statements.set(text, statement);
    }
    return statement;
  }

  async close(): Promise<void> {
    this.#file.close();
  }
}

class PostgresReader implements IndexReader {
  readonly dialect = POSTGRES;
  readonly #sql: Sql;
  readonly #numbered = new Map<string, string>();

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async all<Row>(text: string, parameters: readonly SqlValue[]): Promise<Row[]> {
    return [...(await this.#run(text, parameters))] as Row[];
  }

  async change(text: string, parameters: readonly SqlValue[]): Promise<number> {
    return (await this.#run(text, parameters)).count;
  }

  #run(text: string, parameters: readonly SqlValue[]) {
    let numbered = this.#numbered.get(text);
    if (numbered === undefined) {
      let count = 0;
      numbered = text.replaceAll("?", () => `$${++count}`);
      if (this.#numbered.size >= KEPT_STATEMENTS) this.#numbered.clear();
      this.#numbered.set(text, numbered);
    }
    const values = parameters.map((value) => (value instanceof Uint8Array ? Buffer.from(value) : value));
    return this.#sql.unsafe(numbered, values, { prepare: true });
  }

  async close(): Promise<void> {
    await this.#sql.end({ timeout: 5 });
  }
}

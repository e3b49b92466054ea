import type { Database as SqliteFile, Statement } from "better-sqlite3";
import { openPostgres, type PostgresPlace, preparePostgres, type Sql } from "./postgresIndex.ts";
import { openSqliteFile } from "./sqliteIndex.ts";

/** Where the index of one chain is kept. */
export type IndexPlace = { kind: "sqlite"; path: string } | ({ kind: "postgres" } & PostgresPlace);

export type SqlValue = string | number | Uint8Array | null;

/** Asks an index. The SQL is the same for both databases, with `?` for its parameters. */
export interface IndexReader {
  all<Row>(text: string, parameters: readonly SqlValue[]): Promise<Row[]>;
  close(): Promise<void>;
}

/** Makes the tables where they are missing. */
export async function openReader(place: IndexPlace, connections = 4): Promise<IndexReader> {
  if (place.kind === "sqlite") return new SqliteReader(openSqliteFile(place.path));
  const sql = openPostgres(place, connections);
  await preparePostgres(sql, place.schema);
  return new PostgresReader(sql);
}

const KEPT_STATEMENTS = 500;

class SqliteReader implements IndexReader {
  readonly #file: SqliteFile;
  readonly #statements = new Map<string, Statement<unknown[], unknown>>();

  constructor(file: SqliteFile) {
    this.#file = file;
  }

  async all<Row>(text: string, parameters: readonly SqlValue[]): Promise<Row[]> {
    let statement = this.#statements.get(text);
    if (!statement) {
      if (this.#statements.size >= KEPT_STATEMENTS) this.#statements.clear();
      statement = this.#file.prepare(text);
      this.#statements.set(text, statement);
    }
    // What a statement answers is as its text says.
    return statement.all(...parameters) as Row[];
  }

  async close(): Promise<void> {
    this.#file.close();
  }
}

class PostgresReader implements IndexReader {
  readonly #sql: Sql;
  readonly #numbered = new Map<string, string>();

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async all<Row>(text: string, parameters: readonly SqlValue[]): Promise<Row[]> {
    let numbered = this.#numbered.get(text);
    if (numbered === undefined) {
      let count = 0;
      numbered = text.replaceAll("?", () => `$${++count}`);
      if (this.#numbered.size >= KEPT_STATEMENTS) this.#numbered.clear();
      this.#numbered.set(text, numbered);
    }
    const values = parameters.map((value) => (value instanceof Uint8Array ? Buffer.from(value) : value));
    const rows = await this.#sql.unsafe(numbered, values, { prepare: true });
    return [...rows] as Row[];
  }

  async close(): Promise<void> {
    await this.#sql.end({ timeout: 5 });
  }
}

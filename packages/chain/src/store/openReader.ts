import type { Database as SqliteFile, Statement } from "better-sqlite3";
import type { IndexLocation } from "./indexLocation.ts";
import { type IndexReader, type SqlValue, UNBOUNDED_SQLITE } from "./indexReader.ts";
import { openPostgres, preparePostgres } from "./postgresConnection.ts";
import { PostgresReader } from "./postgresReader.ts";
import { openSqliteFile } from "./sqliteFile.ts";

/**
 * For those who keep the index, whose reads have no bounds: runs in the caller's own thread. Makes the tables where they
 * are missing.
 */
export async function openReader(place: IndexLocation, connections = 4): Promise<IndexReader> {
  if (place.kind === "sqlite") return new SqliteReader(openSqliteFile(place.path));
  const sql = openPostgres(place, connections);
  await preparePostgres(sql, place.schema);
  return new PostgresReader({ lookup: sql, list: sql });
}

const KEPT_STATEMENTS = 500;

class SqliteReader implements IndexReader {
  readonly dialect = UNBOUNDED_SQLITE;
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

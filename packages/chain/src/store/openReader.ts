import type { Database as SqliteFile, Statement } from "better-sqlite3";
import type { IndexLocation } from "./indexLocation.ts";
import { compileQuery, type IndexChange, type IndexQuery } from "./indexQuery.ts";
import { type IndexReader, UNBOUNDED_SQLITE } from "./indexReader.ts";
import { createPostgresSchema, openPostgres } from "./postgresConnection.ts";
import { PostgresReader } from "./postgresReader.ts";
import { openSqliteFile } from "./sqliteFile.ts";

/** For the indexer, whose reads have no limits: runs in the caller's thread. Creates missing tables. */
export async function openReader(location: IndexLocation, connections = 4): Promise<IndexReader> {
  if (location.kind === "sqlite") return new SqliteReader(openSqliteFile(location.path));
  await createPostgresSchema(location);
  const sql = openPostgres(location, "indexer reads", connections);
  return new PostgresReader({ lookup: sql, list: sql });
}

const MAX_STATEMENTS = 500;

class SqliteReader implements IndexReader {
  readonly dialect = UNBOUNDED_SQLITE;
  readonly #file: SqliteFile;
  readonly #statements = new Map<string, Statement<unknown[], unknown>>();

  constructor(file: SqliteFile) {
    this.#file = file;
  }

  async all<Row>(query: IndexQuery<Row>): Promise<Row[]> {
    const { text, parameters } = compileQuery(this.dialect.compiler, query);
    // The query determines the type of its rows.
    return this.#prepared(text).all(...parameters) as Row[];
  }

  async change(query: IndexChange): Promise<number> {
    const { text, parameters } = compileQuery(this.dialect.compiler, query);
    return this.#prepared(text).run(...parameters).changes;
  }

  #prepared(text: string): Statement<unknown[], unknown> {
    let statement = this.#statements.get(text);
    if (!statement) {
      if (this.#statements.size >= MAX_STATEMENTS) this.#statements.clear();
      statement = this.#file.prepare(text);
      this.#statements.set(text, statement);
    }
    return statement;
  }

  async close(): Promise<void> {
    this.#file.close();
  }
}

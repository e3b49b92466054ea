import type { Database as SqliteFile } from "better-sqlite3";
import type { IndexLocation } from "./indexLocation.ts";
import { compileQuery, type IndexChange, type IndexQuery } from "./indexQuery.ts";
import { type IndexReader, UNBOUNDED_SQLITE } from "./indexReader.ts";
import { createPostgresSchema, openPostgres } from "./postgresConnection.ts";
import { PostgresReader } from "./postgresReader.ts";
import { openSqliteFile, PreparedStatements } from "./sqliteFile.ts";

/** For the indexer, whose reads have no limits: runs in the caller's thread. Creates missing tables. */
export async function openReader(location: IndexLocation, connections = 4): Promise<IndexReader> {
  if (location.kind === "sqlite") return new SqliteReader(openSqliteFile(location.path));
  await createPostgresSchema(location);
  const sql = openPostgres(location, "indexer reads", connections);
  return new PostgresReader({ lookup: sql, list: sql });
}

class SqliteReader implements IndexReader {
  readonly dialect = UNBOUNDED_SQLITE;
  readonly #file: SqliteFile;
  readonly #statements: PreparedStatements;

  constructor(file: SqliteFile) {
    this.#file = file;
    this.#statements = new PreparedStatements(file);
  }

  async all<Row>(query: IndexQuery<Row>): Promise<Row[]> {
    const { text, parameters } = compileQuery(this.dialect.compiler, query);
    // The query determines the type of its rows.
    return this.#statements.get(text).all(...parameters) as Row[];
  }

  async change(query: IndexChange): Promise<number> {
    const { text, parameters } = compileQuery(this.dialect.compiler, query);
    return this.#statements.get(text).run(...parameters).changes;
  }

  async close(): Promise<void> {
    this.#file.close();
  }
}

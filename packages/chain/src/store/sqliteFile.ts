import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { ADDED_COLUMNS, SQLITE_APPROVALS, schemaStatements, sqliteLiteral } from "./schema.ts";
import { SQLITE_SEARCH } from "./searchSchema.ts";

/** Opens the index file of one chain; creates the file and its tables. */
export function openSqliteFile(path: string): Database.Database {
  mkdirSync(dirname(path), { recursive: true });
  const db = new Database(path, { timeout: 10_000 });
  db.pragma("journal_mode = WAL");
  // All data can be read from the chain again, so commits need not be durable, only atomic.
  db.pragma("synchronous = NORMAL");
  // Larger checkpoints than the default of 4 MiB.
  db.pragma("wal_autocheckpoint = 8192");
  db.pragma("cache_size = -65536");
  db.pragma("mmap_size = 268435456");
  db.transaction(() => {
    for (const { table, column, type } of ADDED_COLUMNS) {
      const columns = db
        .prepare<[string], { name: string }>("SELECT name FROM pragma_table_info(?)")
        .all(table);
      const isMissing = columns.length > 0 && !columns.some(({ name }) => name === column);
      if (isMissing) db.exec(`ALTER TABLE ${table} ADD COLUMN ${column} ${type}`);
    }
    for (const statement of schemaStatements({
      integer: "INTEGER",
      bytes: "BLOB",
      clustered: " WITHOUT ROWID",
      numbered: "INTEGER PRIMARY KEY",
      isPartitioned: false,
      approvals: SQLITE_APPROVALS,
      literal: sqliteLiteral,
      collation: "",
      search: SQLITE_SEARCH,
    }))
      db.exec(statement);
  }).immediate();
  return db;
}

const MAX_STATEMENTS = 500;

/** The prepared statements of a connection, by their text. */
export class PreparedStatements {
  readonly #db: Database.Database;
  readonly #statements = new Map<string, Database.Statement<unknown[], unknown>>();

  constructor(db: Database.Database) {
    this.#db = db;
  }

  get(text: string): Database.Statement<unknown[], unknown> {
    const known = this.#statements.get(text);
    if (known) return known;
    if (this.#statements.size >= MAX_STATEMENTS) this.#statements.clear();
    const statement = this.#db.prepare<unknown[], unknown>(text);
    this.#statements.set(text, statement);
    return statement;
  }
}

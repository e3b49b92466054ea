import Database from "better-sqlite3";
import { compileRegex } from "../regex.ts";

/** A value that a statement takes or gives. */
export type SqliteValue = string | number | bigint | Buffer | null;

/**
 * Opens the database file. WAL with `synchronous=FULL`: a commit is on disk before it is
 * acknowledged, and readers never wait for the writer.
 */
export function openDatabase(file: string, options: { readonly: boolean }): Database.Database {
  const database = new Database(file, { readonly: options.readonly, timeout: 10_000 });
  if (!options.readonly) {
    database.pragma("journal_mode = WAL");
    database.pragma("synchronous = FULL");
    database.pragma("wal_autocheckpoint = 4000");
  }
  database.pragma("cache_size = -65536");
  database.pragma("mmap_size = 1073741824");
  database.pragma("temp_store = MEMORY");
  database.pragma("trusted_schema = OFF");
  database.function("purse_regex", { deterministic: true, directOnly: true }, (source, flags, value) =>
    typeof value === "string" && compileRegex(String(source), String(flags))(value) ? 1 : 0,
  );
  return database;
}

/** Prepared statements by their text, the least recently made dropped first. */
export function statementCache(database: Database.Database, max = 1_000) {
  const statements = new Map<string, Database.Statement<unknown[], unknown>>();
  return (sql: string): Database.Statement<unknown[], unknown> => {
    const known = statements.get(sql);
    if (known) return known;
    if (statements.size >= max) {
      const [oldest] = statements.keys();
      if (oldest !== undefined) statements.delete(oldest);
    }
    const statement = database.prepare<unknown[], unknown>(sql);
    statements.set(sql, statement);
    return statement;
  };
}

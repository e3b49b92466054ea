import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { layoutStatements, SQLITE_SEARCH } from "./schema.ts";

/** Opens the file of one chain's index; makes it and its tables. */
export function openSqliteFile(path: string): Database.Database {
  mkdirSync(dirname(path), { recursive: true });
  const db = new Database(path, { timeout: 10_000 });
  db.pragma("journal_mode = WAL");
  // Everything here can be read from the chain again: a commit need not wait for the disk, only stay whole.
  db.pragma("synchronous = NORMAL");
  // Pages go from the log into the file, and so to the disk, in larger parts than the usual 4 MiB.
  db.pragma("wal_autocheckpoint = 8192");
  db.pragma("cache_size = -65536");
  db.pragma("mmap_size = 268435456");
  db.transaction(() => {
    for (const statement of layoutStatements({
      integer: "INTEGER",
      bytes: "BLOB",
      clustered: " WITHOUT ROWID",
      numbered: "INTEGER PRIMARY KEY",
      search: SQLITE_SEARCH,
    }))
      db.exec(statement);
  }).immediate();
  return db;
}

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { createFolder, withFileErrors } from "./fileChecks.ts";

export interface DatabaseLock {
  release(): void;
}

interface Holder {
  pid: number;
  host: string;
  since: string;
}

/**
 * Locks a database for this process until the lock is released: processes that share a file would not notice each
 * other's changes to permissions and sessions. The operating system holds the lock, by a transaction in a small
 * separate database, so that it is released even if the process crashes. Throws Error that names the holder.
 */
export function lockDatabase(path: string): DatabaseLock {
  const file = `${path}.lock`;
  const holderFile = `${path}.lock.json`;
  createFolder(dirname(path));
  const database = withFileErrors(file, () => new Database(file, { timeout: 0 }));
  try {
    // Without a journal on disk there is nothing to roll back after a crash.
    database.pragma("journal_mode = MEMORY");
    database.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if (error instanceof Database.SqliteError && error.code.startsWith("SQLITE_BUSY")) {
      throw new Error(
        `The database ${path} is in use by ${describeHolder(holderFile)}: stop it first, or use another folder with ` +
          "--data-dir. One process at a time has an SQLite database; several servers can share a PostgreSQL database.",
      );
    }
    return withFileErrors(file, () => {
      throw error;
    });
  }
  const holder: Holder = { pid: process.pid, host: hostname(), since: new Date().toISOString() };
  writeFileSync(holderFile, JSON.stringify(holder));
  return {
    release() {
      rmSync(holderFile, { force: true });
      database.close();
    },
  };
}

function describeHolder(holderFile: string): string {
  try {
    const { pid, host, since }: Holder = JSON.parse(readFileSync(holderFile, "utf8"));
    return `another Purse: process ${pid}${host === hostname() ? "" : ` of ${host}`}, since ${since}`;
  } catch {
    // The file is being written or removed.
    return "another Purse";
  }
}

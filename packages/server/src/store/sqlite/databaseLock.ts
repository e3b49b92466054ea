import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { inFile, makeFolder } from "./fileChecks.ts";

export interface DatabaseLock {
  release(): void;
}

interface Holder {
  pid: number;
  host: string;
  since: string;
}

/**
 * Takes a database for this process alone, as long as the lock is not released: processes that serve the same file would
 * not hear of each other's changes to permissions and sessions. The operating system holds the lock, by way of a
 * transaction in a small database of its own, so that it is gone with the process however that ends. Throws Error that
 * names who holds it.
 */
export function lockDatabase(path: string): DatabaseLock {
  const file = `${path}.lock`;
  const holderFile = `${path}.lock.json`;
  makeFolder(dirname(path));
  const database = inFile(file, () => new Database(file, { timeout: 0 }));
  try {
    // Without a journal on disk nothing is left to be rolled back after a crash.
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
    return inFile(file, () => {
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

/** Throws Error where a server has a database. */
export function assertNotLocked(path: string): void {
  lockDatabase(path).release();
}

function describeHolder(holderFile: string): string {
  try {
    const { pid, host, since }: Holder = JSON.parse(readFileSync(holderFile, "utf8"));
    return `another Purse: process ${pid}${host === hostname() ? "" : ` of ${host}`}, since ${since}`;
  } catch {
    // It is just being written, or removed.
    return "another Purse";
  }
}

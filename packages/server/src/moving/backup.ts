import { existsSync } from "node:fs";
import { copyFile, rename, rm } from "node:fs/promises";
import Database from "better-sqlite3";
import { lockDatabase } from "../store/sqlite/databaseLock.ts";
import { faultOf } from "../store/sqlite/errors.ts";
import type { Progress } from "./progress.ts";
import { assertSound } from "./sound.ts";

/**
 * Copies a SQLite database to a file while others read and write it: what has been written when it ends is in
 * it. Rejects, and leaves nothing, where the copy is not sound.
 */
export async function backupDatabase(path: string, file: string, progress: Progress): Promise<void> {
  const unfinished = `${file}.unfinished`;
  await rm(unfinished, { force: true });
  const database = new Database(path, { readonly: true, fileMustExist: true });
  try {
    await database.backup(unfinished, {
      progress: ({ totalPages, remainingPages }) => {
        progress.report("pages", totalPages - remainingPages, totalPages);
        return 1_000;
      },
    });
  } finally {
    database.close();
  }
  await assertSound(unfinished);
  await rename(unfinished, file);
}

/**
 * Puts a backup in the place of a database. Throws where the backup is damaged or of a newer Purse, where a server has
 * the database open, and, without `force`, where there is one; that one is kept beside it as `….before-restore`.
 */
export async function restoreDatabase(file: string, path: string, force: boolean): Promise<void> {
  if (!existsSync(file)) throw new Error(`${file} is not there`);
  await assertSound(file);
  const lock = lockDatabase(path);
  try {
    if (existsSync(path)) {
      if (!force)
        throw new Error(`${path} is there already: --force puts the backup in its place, and keeps it`);
      assertUnused(path);
      await rename(path, `${path}.before-restore`);
      for (const suffix of ["-wal", "-shm"]) await rm(path + suffix, { force: true });
    }
    await copyFile(file, path);
  } finally {
    lock.release();
  }
}

/** Throws where a process has the database open. Afterwards its file alone is the database. */
export function assertUnused(path: string): void {
  const database = new Database(path, { timeout: 0 });
  try {
    database.pragma("locking_mode = EXCLUSIVE");
    database.exec("BEGIN EXCLUSIVE; COMMIT");
    // Nothing is left in the log: the file alone is the database.
    database.pragma("wal_checkpoint(TRUNCATE)");
  } catch (error) {
    if (!(error instanceof Database.SqliteError)) throw error;
    if (error.code.startsWith("SQLITE_BUSY")) {
      throw new Error(`${path} is open in a server: stop it first`);
    }
    // A damaged file is what backups are put in the place of.
    if (faultOf(error) !== "damaged") throw error;
  } finally {
    database.close();
  }
}

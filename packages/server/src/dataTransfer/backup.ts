import { existsSync } from "node:fs";
import { copyFile, rename, rm } from "node:fs/promises";
import Database from "better-sqlite3";
import { lockDatabase } from "../database/sqlite/databaseLock.ts";
import { getFault } from "../database/sqlite/errors.ts";
import { appendChecksum, removeChecksum } from "./backupChecksum.ts";
import { checkIntegrity } from "./integrityCheck.ts";
import type { Progress } from "./progress.ts";
import { removeDatabaseFile } from "./unfinishedFiles.ts";

/** Pages that are copied at once. */
const PAGES_PER_STEP = 1_000;

/**
 * Copies an SQLite database to a file while it is in use, with a checksum at its end. The copy contains all writes up to
 * the beginning of the backup. Rejects, and leaves no file, if it fails, for example the integrity check.
 */
export async function backupDatabase(path: string, file: string, progress: Progress): Promise<void> {
  const temporaryFile = `${file}.unfinished`;
  // Of a backup that was killed.
  await removeDatabaseFile(temporaryFile);
  try {
    await copyPages(path, temporaryFile, progress);
    await checkIntegrity(temporaryFile);
    // Left by the check.
    for (const suffix of ["-wal", "-shm"]) await rm(temporaryFile + suffix, { force: true });
    await appendChecksum(temporaryFile);
    await rename(temporaryFile, file);
  } catch (error) {
    await removeDatabaseFile(temporaryFile);
    throw error;
  }
}

async function copyPages(path: string, file: string, progress: Progress): Promise<void> {
  const database = new Database(path, { readonly: true, fileMustExist: true });
  try {
    // Reads one state of the database: otherwise, the copy would begin anew with each write of others.
    database.exec("BEGIN");
    database.prepare("SELECT count(*) FROM sqlite_schema").get();
    await database.backup(file, {
      progress: ({ totalPages, remainingPages }) => {
        progress.report("pages", totalPages - remainingPages, totalPages);
        return PAGES_PER_STEP;
      },
    });
  } finally {
    database.close();
  }
}

/**
 * Replaces a database with a backup. Throws if the backup is damaged or was created by a newer version, if a server has
 * the database open, or, without `force`, if the database exists. The previous database is kept as `….before-restore`.
 */
export async function restoreDatabase(file: string, path: string, force: boolean): Promise<void> {
  if (!existsSync(file)) throw new Error(`${file} does not exist`);
  await checkIntegrity(file);
  const lock = lockDatabase(path);
  try {
    if (existsSync(path)) {
      if (!force)
        throw new Error(
          `${path} already exists: use --force to replace it with the backup; the existing file is kept`,
        );
      assertNotOpen(path);
      await rename(path, `${path}.before-restore`);
      for (const suffix of ["-wal", "-shm"]) await rm(path + suffix, { force: true });
    }
    await copyFile(file, path);
    await removeChecksum(path);
  } finally {
    lock.release();
  }
}

/** Throws if a process has the database open. Also merges the write-ahead log into the database file. */
export function assertNotOpen(path: string): void {
  const database = new Database(path, { timeout: 0 });
  try {
    database.pragma("locking_mode = EXCLUSIVE");
    database.exec("BEGIN EXCLUSIVE; COMMIT");
    // After the checkpoint the write-ahead log is empty and the database consists of the file alone.
    database.pragma("wal_checkpoint(TRUNCATE)");
  } catch (error) {
    if (!(error instanceof Database.SqliteError)) throw error;
    if (error.code.startsWith("SQLITE_BUSY")) {
      throw new Error(`${path} is open in a server: stop it first`);
    }
    // A damaged database may be replaced with a backup.
    if (getFault(error) !== "damaged") throw error;
  } finally {
    database.close();
  }
}

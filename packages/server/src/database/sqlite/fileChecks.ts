import { mkdirSync, statSync } from "node:fs";
import Database from "better-sqlite3";
import { asFolderError } from "../../config/dataFolder.ts";
import { PROGRAM } from "../../core/programName.ts";

/** Maximum size in bytes of files that are checked at every start; a check takes about a second per gigabyte. */
const MAX_CHECKED_BYTES = 512 * 1024 * 1024;
const MAX_LISTED_TABLES = 5;

/** Throws if a file contains the tables of another program. */
export function assertPurseDatabase(database: Database.Database, file: string): void {
  const tables = database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
    .pluck()
    .all()
    .map(String);
  if (tables.length === 0 || tables.includes("purse_classes")) return;
  const others = tables.length > MAX_LISTED_TABLES ? `, and ${tables.length - MAX_LISTED_TABLES} more` : "";
  throw new Error(
    `${file} is the database of another program: it has the tables ${tables.slice(0, MAX_LISTED_TABLES).join(", ")}${others}, ` +
      "and none of Purse's. Move it away, or choose another file with --data-dir or PURSE_DATABASE_URL.",
  );
}

/** Throws if pages of a file are damaged. Large files are not checked. */
export function checkIntegrity(database: Database.Database, file: string): void {
  if (statSync(file).size > MAX_CHECKED_BYTES) return;
  const found = String(database.pragma("quick_check(1)", { simple: true }));
  if (found !== "ok") throw damagedFileError(file, found);
}

/** Runs `work` and adds the file name and advice to errors of files that cannot be opened. */
export function withFileErrors<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Database.SqliteError)) throw error;
    if (/^SQLITE_(?:CORRUPT|NOTADB)/.test(error.code)) throw damagedFileError(file, error.message);
    if (/^SQLITE_(?:CANTOPEN|READONLY|PERM|IOERR)/.test(error.code)) {
      throw new Error(
        `${file} cannot be opened for writing (${error.code}: ${error.message}). Give the user that runs Purse the ` +
          "right to write it and its folder, or choose another folder with --data-dir.",
      );
    }
    throw error;
  }
}

function damagedFileError(file: string, reason: string): Error {
  return new Error(
    `${file} is damaged, or not an SQLite database: ${reason.split("\n", 1)[0]?.slice(0, 200)}. Put a backup in its ` +
      `place: ${PROGRAM} restore --in FILE --force keeps the damaged file beside it.`,
  );
}

/** Creates a folder if it does not exist. Throws an error with advice if the process lacks permission. */
export function createFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw asFolderError(error, folder);
  }
}

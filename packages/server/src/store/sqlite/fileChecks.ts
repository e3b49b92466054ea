import { mkdirSync, statSync } from "node:fs";
import Database from "better-sqlite3";
import { asFolderError } from "../../config/dataFolder.ts";

/** A file of more bytes than this is not looked through at every start: that takes about a second for each gigabyte. */
const MAX_CHECKED_BYTES = 512 * 1024 * 1024;
const NAMED_TABLES = 5;

/** Throws where a file holds the tables of another program. */
export function assertOurs(database: Database.Database, file: string): void {
  const tables = database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
    .pluck()
    .all()
    .map(String);
  if (tables.length === 0 || tables.includes("purse_classes")) return;
  const others = tables.length > NAMED_TABLES ? `, and ${tables.length - NAMED_TABLES} more` : "";
  throw new Error(
    `${file} is the database of another program: it has the tables ${tables.slice(0, NAMED_TABLES).join(", ")}${others}, ` +
      "and none of Purse's. Move it away, or choose another file with --data-dir or PURSE_DATABASE_URL.",
  );
}

/** Throws where pages of a file are damaged. Large files are not looked through. */
export function assertSound(database: Database.Database, file: string): void {
  if (statSync(file).size > MAX_CHECKED_BYTES) return;
  const found = String(database.pragma("quick_check(1)", { simple: true }));
  if (found !== "ok") throw damaged(file, found);
}

/** Runs what opens a file; the error of one that cannot be read names it and says what to do. */
export function inFile<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Database.SqliteError)) throw error;
    if (/^SQLITE_(?:CORRUPT|NOTADB)/.test(error.code)) throw damaged(file, error.message);
    if (/^SQLITE_(?:CANTOPEN|READONLY|PERM|IOERR)/.test(error.code)) {
      throw new Error(
        `${file} cannot be opened for writing (${error.code}: ${error.message}). Give the user that runs Purse the ` +
          "right to write it and its folder, or choose another folder with --data-dir.",
      );
    }
    throw error;
  }
}

function damaged(file: string, reason: string): Error {
  return new Error(
    `${file} is damaged, or not an SQLite database: ${reason.split("\n", 1)[0]?.slice(0, 200)}. Put a backup in its ` +
      "place: npm run purse -- restore --in FILE --force keeps the damaged file beside it.",
  );
}

/** Makes a folder where it is missing; says what to do where the user that runs the process may not. */
export function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw asFolderError(error, folder);
  }
}

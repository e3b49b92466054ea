import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";

/** What SQLite creates beside a database. */
const SUFFIXES = ["", "-journal", "-wal", "-shm"];
/** Files that nobody has written for so long were left by a process that was killed, in ms. */
const ABANDONED_MS = 3_600_000;

/** Removes a database file that is not complete, with what SQLite created beside it. */
export async function removeDatabaseFile(file: string): Promise<void> {
  for (const suffix of SUFFIXES) await rm(file + suffix, { force: true });
}

/** Removes files of a folder that a killed process has left. */
export async function removeAbandoned(
  folder: string,
  isUnfinished: (name: string) => boolean,
): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!isUnfinished(name)) continue;
    const file = join(folder, name);
    const found = await stat(file).catch(() => undefined);
    // Another process may be removing it, too.
    if (found && Date.now() - found.mtimeMs > ABANDONED_MS) await rm(file, { force: true });
  }
}

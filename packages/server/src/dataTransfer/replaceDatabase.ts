import { constants, createReadStream, createWriteStream } from "node:fs";
import { copyFile, link, open, rename, rm, stat } from "node:fs/promises";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import Database from "better-sqlite3";
import { PRESERVED_CLASSES, type StudioClass } from "../data/schema/studioClasses.ts";
import type { ClassSchema } from "../database/classSchema.ts";
import { classStatements } from "../database/sqlite/classStatements.ts";
import { migrate } from "../database/sqlite/migrations.ts";
import { assertNotOpen } from "./backup.ts";
import { removeChecksum } from "./backupChecksum.ts";

/** Path of a staged backup: in the same folder as the database, so that it can be renamed atomically. */
export function stagedPath(path: string): string {
  return `${path}.restoring`;
}

/** The content of a backup. */
export interface BackupSource {
  /** In bytes. */
  size: number;
  content: AsyncIterable<Uint8Array>;
}

/** Copies a backup to a file and syncs it to disk. `report` receives the progress in bytes. */
export async function stageBackup(
  { size, content }: BackupSource,
  file: string,
  report: (bytes: number, totalBytes: number) => void,
): Promise<void> {
  let bytes = 0;
  const counter = new Transform({
    transform(chunk: Buffer, _, done) {
      bytes += chunk.length;
      report(bytes, size);
      done(null, chunk);
    },
  });
  await pipeline(content, counter, createWriteStream(file, { mode: 0o600, flush: true }));
  if (bytes !== size) throw new Error(`only ${bytes} of ${size} bytes of the backup could be read`);
}

export async function deleteStaged(path: string): Promise<void> {
  for (const suffix of ["", "-wal", "-shm", "-journal"]) await rm(stagedPath(path) + suffix, { force: true });
}

/**
 * Replaces the database with the staged backup and keeps the previous one as `keptPath`. Operators, their sessions and
 * the audit trail keep their current state. The last step is an atomic rename, so that after a power failure the
 * database is either the old one or the new one. Rejects, without changes, if a process has the database open.
 */
export async function replaceDatabase(path: string, keptPath: string): Promise<void> {
  const staged = stagedPath(path);
  assertNotOpen(path);
  await removeChecksum(staged);
  copyPreservedRows(path, staged);
  const handle = await open(staged, "r+");
  await handle.sync();
  await handle.close();
  await keepCopy(path, keptPath);
  await activateStaged(path);
}

/** Replaces a database that no process uses with a file. */
export async function replaceWithFile(file: string, path: string): Promise<void> {
  const { size } = await stat(file);
  await deleteStaged(path);
  await stageBackup({ size, content: createReadStream(file) }, stagedPath(path), () => undefined);
  await activateStaged(path);
}

/** Atomically renames the staged file to the database. */
async function activateStaged(path: string): Promise<void> {
  for (const suffix of ["-wal", "-shm"]) await rm(path + suffix, { force: true });
  await rename(stagedPath(path), path);
}

function copyPreservedRows(from: string, into: string): void {
  const database = new Database(into);
  try {
    database.pragma("trusted_schema = OFF");
    // From now on without a write-ahead log, so that all data is in a single file.
    database.pragma("journal_mode = DELETE");
    migrate(database);
    database.prepare("ATTACH DATABASE ? AS now").run(from);
    database.transaction(() => {
      for (const className of PRESERVED_CLASSES) copyClass(database, className);
      for (const [table, columns] of [
        ["purse_claims", "scope, value, owner, expires_at"],
        ["purse_counts", "scope, value, n, until"],
      ] as const) {
        const isStudioRow = "substr(scope, 1, 7) = '_Studio'";
        database.exec(`DELETE FROM main.${table} WHERE ${isStudioRow};
          INSERT INTO main.${table} (${columns}) SELECT ${columns} FROM now.${table} WHERE ${isStudioRow}`);
      }
    })();
    database.exec("DETACH DATABASE now");
  } finally {
    database.close();
  }
}

function copyClass(database: Database.Database, className: StudioClass): void {
  const schemaIn = (where: "main" | "now"): ClassSchema | undefined => {
    const sql = `SELECT schema FROM ${where}.purse_classes WHERE class_name = ?`;
    const text = database.prepare<[string], string>(sql).pluck().get(className);
    return text === undefined ? undefined : JSON.parse(text);
  };
  const [old, schema] = [schemaIn("main"), schemaIn("now")];
  if (!schema) return;
  if (old) database.exec(`DROP TABLE IF EXISTS main."${old.table}"`);
  for (const sql of classStatements(schema)) database.exec(sql);
  const upsert = "INSERT OR REPLACE INTO main.purse_classes (class_name, schema) VALUES (?, ?)";
  database.prepare(upsert).run(className, JSON.stringify(schema));
  const columns = "seq, id, created_at, updated_at, read_acl, write_acl, secret, doc";
  database.exec(
    `INSERT INTO main."${schema.table}" (${columns}) SELECT ${columns} FROM now."${schema.table}"`,
  );
}

async function keepCopy(path: string, keptPath: string): Promise<void> {
  try {
    await link(path, keptPath);
  } catch {
    // On another disk, or one without hard links, the file is copied and renamed once it is complete.
    await copyFile(path, `${keptPath}.unfinished`, constants.COPYFILE_FICLONE);
    await rename(`${keptPath}.unfinished`, keptPath);
  }
}

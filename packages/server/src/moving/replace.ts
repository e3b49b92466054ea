import { constants, createReadStream, createWriteStream } from "node:fs";
import { copyFile, link, open, rename, rm, stat } from "node:fs/promises";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import Database from "better-sqlite3";
import type { ClassSchema } from "../schema/classSchema.ts";
import { classStatements, migrate } from "../store/sqlite/layout.ts";
import type { StudioClass } from "../studio/studioClasses.ts";
import { assertUnused } from "./backup.ts";

/** Who may work here and what was done: no backup takes that back. */
const KEPT: readonly StudioClass[] = ["_StudioOperator", "_StudioSession", "_StudioAudit"];

/** Where a backup waits to become the database: beside it, so that one step replaces the one by the other. */
export function waitingPlace(path: string): string {
  return `${path}.restoring`;
}

/** Puts a copy of a backup beside a database, safe from power cuts. `report` is told bytes. */
export async function stageBackup(
  file: string,
  path: string,
  report: (bytes: number, totalBytes: number) => void,
): Promise<void> {
  const place = waitingPlace(path);
  await forgetStaged(path);
  const { size } = await stat(file);
  let bytes = 0;
  const counting = new Transform({
    transform(piece: Buffer, _, done) {
      bytes += piece.length;
      report(bytes, size);
      done(null, piece);
    },
  });
  await pipeline(createReadStream(file), counting, createWriteStream(place, { mode: 0o600, flush: true }));
}

export async function forgetStaged(path: string): Promise<void> {
  for (const suffix of ["", "-wal", "-shm", "-journal"])
    await rm(waitingPlace(path) + suffix, { force: true });
}

/**
 * Makes the staged backup the database, and keeps what was there as `keepAs`. Operators, their sessions and the audit
 * trail stay as they are now. The last step replaces one file by another: whenever the power fails, the database is
 * whole, the old one or the new one. Rejects where a process has the database open; nothing has changed then.
 */
export async function replaceDatabase(path: string, keepAs: string): Promise<void> {
  const place = waitingPlace(path);
  assertUnused(path);
  carryOver(path, place);
  const handle = await open(place, "r+");
  await handle.sync();
  await handle.close();
  await keep(path, keepAs);
  await becomeDatabase(path);
}

/** Puts a file in the place of a database that no process uses, as it is. */
export async function putInPlace(file: string, path: string): Promise<void> {
  await stageBackup(file, path, () => undefined);
  await becomeDatabase(path);
}

/** What is staged takes the database's name, in one step. */
async function becomeDatabase(path: string): Promise<void> {
  for (const suffix of ["-wal", "-shm"]) await rm(path + suffix, { force: true });
  await rename(waitingPlace(path), path);
}

function carryOver(from: string, into: string): void {
  const database = new Database(into);
  try {
    database.pragma("trusted_schema = OFF");
    // One file from now on: what is written stands in no log beside it.
    database.pragma("journal_mode = DELETE");
    migrate(database);
    database.prepare("ATTACH DATABASE ? AS now").run(from);
    database.transaction(() => {
      for (const className of KEPT) carryClass(database, className);
      for (const [table, columns] of [
        ["purse_claims", "scope, value, owner, expires_at"],
        ["purse_counts", "scope, value, n, until"],
      ] as const) {
        const ours = "substr(scope, 1, 7) = '_Studio'";
        database.exec(`DELETE FROM main.${table} WHERE ${ours};
          INSERT INTO main.${table} (${columns}) SELECT ${columns} FROM now.${table} WHERE ${ours}`);
      }
    })();
    database.exec("DETACH DATABASE now");
  } finally {
    database.close();
  }
}

function carryClass(database: Database.Database, className: StudioClass): void {
  const schemaIn = (where: "main" | "now"): ClassSchema | undefined => {
    const sql = `SELECT schema FROM ${where}.purse_classes WHERE class_name = ?`;
    const text = database.prepare<[string], string>(sql).pluck().get(className);
    return text === undefined ? undefined : JSON.parse(text);
  };
  const [old, schema] = [schemaIn("main"), schemaIn("now")];
  if (!schema) return;
  if (old) database.exec(`DROP TABLE IF EXISTS main."${old.table}"`);
  for (const sql of classStatements(schema)) database.exec(sql);
  const put = "INSERT OR REPLACE INTO main.purse_classes (class_name, schema) VALUES (?, ?)";
  database.prepare(put).run(className, JSON.stringify(schema));
  const columns = "seq, id, created_at, updated_at, read_acl, write_acl, secret, doc";
  database.exec(
    `INSERT INTO main."${schema.table}" (${columns}) SELECT ${columns} FROM now."${schema.table}"`,
  );
}

async function keep(path: string, keepAs: string): Promise<void> {
  try {
    await link(path, keepAs);
  } catch {
    // Another disk, or one without links: a copy, which has its name once it is whole.
    await copyFile(path, `${keepAs}.unfinished`, constants.COPYFILE_FICLONE);
    await rename(`${keepAs}.unfinished`, keepAs);
  }
}

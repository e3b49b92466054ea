import { pipeline } from "node:stream/promises";
import { setTimeout as delay } from "node:timers/promises";
import { createGunzip } from "node:zlib";
import { PRESERVED_CLASSES } from "../data/schema/studioClasses.ts";
import type { ClassSchema } from "../database/classSchema.ts";
import { type BulkSession, openBulkSession } from "../database/postgres/bulkSession.ts";
import { restartChangeLog } from "../database/postgres/changeLogLayout.ts";
import {
  indexStatements,
  insertionOrderStatement,
  tableStatements,
} from "../database/postgres/classStatements.ts";
import { migrateLayout } from "../database/postgres/migrate.ts";
import { MIGRATIONS } from "../database/postgres/migrations.ts";
import { DIRECT_APPLICATIONS, NOTIFICATIONS_APPLICATION } from "../database/postgres/sessionKinds.ts";
import { addTypedColumns, newTypedColumns } from "../database/postgres/typedColumns.ts";
import { quoteIdentifier } from "../database/postgres/valueExpressions.ts";
import {
  ArchiveError,
  type ArchiveHeader,
  type ArchiveTable,
  type RowCounts,
  readArchive,
} from "./archive.ts";
import { assertBackupOf } from "./fileKind.ts";
import { type PostgresConfig, sessionUrl, totalRows } from "./postgresBackup.ts";
import {
  CLASSES_TABLE,
  columnsOf,
  copyStatement,
  INTERNAL_TABLES,
  loadClassSchemas,
} from "./postgresTables.ts";
import type { Progress } from "./progress.ts";
import { commitRestore } from "./restoreCommit.ts";

/** How long PostgreSQL may take to end the sessions of a server that has stopped, in ms. */
const MAX_DISCONNECT_MS = 3_000;
const DISCONNECT_POLL_MS = 50;

export interface PostgresRestoreOptions {
  /** Whether to replace the classes that the database has. */
  force: boolean;
  /** Whether operators, their sessions and the audit log stay as they are. */
  keepsOperators: boolean;
  progress: Progress;
}

/**
 * Replaces the content of a PostgreSQL database with a backup, in one transaction: if anything fails, the database is
 * unchanged. `open` opens the backup. Rejects with RestoreOutcomeUnknownError if the database may have been replaced
 * nevertheless, and with another error if the backup is damaged or was created by a newer version, if a server uses the database, or,
 * without `force`, if the database has classes. Returns the number of rows by table.
 */
export async function restorePostgres(
  config: PostgresConfig,
  open: () => AsyncIterable<Uint8Array> | Promise<AsyncIterable<Uint8Array>>,
  { force, keepsOperators, progress }: PostgresRestoreOptions,
): Promise<RowCounts> {
  const session = await openBulkSession(sessionUrl(config));
  const counts: RowCounts = {};
  try {
    await assertUnused(session, config);
    await session.run("BEGIN", []);
    const epoch = await clearDatabase(session, { force, keepsOperators });
    await readBackup(await open(), counts, async (tables) => {
      for await (const table of tables) {
        await restoreTable(session, table, keepsOperators);
        progress.report(table.name, totalRows(counts));
      }
    });
    await finishTables(session, keepsOperators);
    await commitRestore(session, sessionUrl(config), epoch);
    return counts;
  } finally {
    session.close();
  }
}

/** Reads a whole backup. Rejects with the reason if it cannot be restored. */
export async function checkPostgresBackup(content: AsyncIterable<Uint8Array>): Promise<void> {
  await readBackup(content, {}, async (tables) => {
    for await (const { rows } of tables) for await (const _ of rows);
  });
}

async function readBackup(
  content: AsyncIterable<Uint8Array>,
  counts: RowCounts,
  work: (tables: AsyncIterable<ArchiveTable>) => Promise<void>,
): Promise<void> {
  const read = (source: AsyncIterable<Uint8Array>) => work(readArchive(source, assertLayout, counts));
  try {
    await pipeline(content, expectArchive, createGunzip(), read);
  } catch (error) {
    // Another kind of file, or one that was cut off or changed.
    const isInvalid = error instanceof Error && "code" in error && String(error.code).startsWith("Z_");
    if (!isInvalid) throw error;
    throw new ArchiveError("it is no backup of PostgreSQL, or damaged", { cause: error });
  }
}

/** Passes the content on. Throws Error that says what to do if its first bytes are those of something else. */
async function* expectArchive(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isFirst = true;
  for await (const chunk of content) {
    if (isFirst) assertBackupOf("PostgreSQL", Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    isFirst = false;
    yield chunk;
  }
}

function assertLayout({ layout }: ArchiveHeader): void {
  if (layout > MIGRATIONS.length)
    throw new ArchiveError(`it was written by a newer Purse (layout ${layout})`);
}

/** Whether no other server uses the database of this server. */
export async function isOnlyServer(config: PostgresConfig): Promise<boolean> {
  const session = await openBulkSession(sessionUrl(config));
  try {
    return await areAtMost(1, session, [NOTIFICATIONS_APPLICATION]);
  } finally {
    session.close();
  }
}

/** Throws if a server has a connection to the database. A pooler keeps its own connections, which may be unused. */
async function assertUnused(session: BulkSession, { directUrl }: PostgresConfig): Promise<void> {
  const names = directUrl === undefined ? ["purse%"] : DIRECT_APPLICATIONS;
  if (await areAtMost(0, session, names)) return;
  throw new Error("the database is open in a server: stop all servers of this database first");
}

/** Whether, within a short time, at most so many other sessions of these names are left. */
async function areAtMost(maximum: number, session: BulkSession, names: readonly string[]): Promise<boolean> {
  const deadline = performance.now() + MAX_DISCONNECT_MS;
  for (;;) {
    const [row] = await session.run(
      `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
         AND application_name LIKE ANY (SELECT jsonb_array_elements_text(?::text::jsonb))`,
      [JSON.stringify(names)],
    );
    if (Number(row?.[0]) <= maximum) return true;
    if (performance.now() > deadline) return false;
    await delay(DISCONNECT_POLL_MS);
  }
}

/** Creates the internal tables, or empties them and drops the classes. Returns the new epoch of the change log. */
async function clearDatabase(
  session: BulkSession,
  { force, keepsOperators }: Pick<PostgresRestoreOptions, "force" | "keepsOperators">,
): Promise<string> {
  await migrateLayout(session);
  const schemas = await loadClassSchemas(session);
  if (schemas.length > 0 && !force) {
    throw new Error("the database has data: use --force to replace it, and create a backup of it first");
  }
  for (const { table } of schemas) {
    if (keepsOperators && isPreserved(table)) continue;
    await session.run(`DROP TABLE ${quoteIdentifier(table)}`, []);
  }
  for (const table of INTERNAL_TABLES) {
    await session.run(`DELETE FROM ${table}${keepsOperators ? replacedRows(table) : ""}`, []);
  }
  return restartChangeLog(session);
}

/** Copies the rows of a table into the database. The tables of the classes are created once these are known. */
async function restoreTable(
  session: BulkSession,
  { name, columns, rows }: ArchiveTable,
  keepsOperators: boolean,
): Promise<void> {
  if (keepsOperators && isPreserved(name)) {
    for await (const _ of rows);
    return;
  }
  const isInternal = INTERNAL_TABLES.includes(name);
  if (!isInternal && !(await loadClassSchemas(session)).some(({ table }) => table === name)) {
    throw new ArchiveError(`no class has the table ${name}`);
  }
  const existing = await columnsOf(session, name);
  const unknown = columns.filter((column) => !existing.includes(column));
  if (unknown.length > 0) throw new ArchiveError(`${name} has unknown columns: ${unknown.join(", ")}`);
  const condition = keepsOperators ? replacedRows(name) : "";
  await pipeline(rows, session.copyIn(`${copyStatement(name, columns)} FROM STDIN${condition}`));
  if (name === CLASSES_TABLE) await createTables(session, keepsOperators);
}

async function createTables(session: BulkSession, keepsOperators: boolean): Promise<void> {
  for (const schema of await loadClassSchemas(session)) {
    if (keepsOperators && isPreserved(schema.table)) continue;
    assertNames(schema);
    for (const statement of tableStatements(schema, newTypedColumns(schema)))
      await session.run(statement, []);
    const withColumns = await addTypedColumns(session, schema, { rewritesLargeTable: true, addsIndex: true });
    await session.run("UPDATE purse_classes SET schema = ? WHERE class_name = ?", [
      JSON.stringify(withColumns),
      schema.className,
    ]);
  }
}

/** Adds the indexes, which is faster after the rows, and continues the numbering of the rows. */
async function finishTables(session: BulkSession, keepsOperators: boolean): Promise<void> {
  for (const schema of await loadClassSchemas(session)) {
    if (keepsOperators && isPreserved(schema.table)) continue;
    const table = quoteIdentifier(schema.table);
    for (const statement of [insertionOrderStatement(schema), ...indexStatements(schema)]) {
      await session.run(statement, []);
    }
    await session.run(
      `SELECT setval(pg_get_serial_sequence(?, 'seq'), coalesce(max(seq), 0) + 1, false) FROM ${table}`,
      [table],
    );
    await session.run(`ANALYZE ${table}`, []);
  }
}

function isPreserved(table: string): boolean {
  return PRESERVED_CLASSES.some((className) => className === table);
}

/** The `WHERE` for the rows of an internal table that do not belong to operators; empty for all of them. */
function replacedRows(table: string): string {
  if (table === "purse_claims" || table === "purse_counts") return " WHERE left(scope, 7) <> '_Studio'";
  if (table !== CLASSES_TABLE) return "";
  return ` WHERE class_name NOT IN (${PRESERVED_CLASSES.map((name) => `'${name}'`).join(", ")})`;
}

/** Names are part of SQL, and a backup may come from somewhere else. */
function assertNames({ className, fields, indexes, columns }: ClassSchema): void {
  // The names of indexes may contain any characters, and are quoted.
  const keys = Object.values(indexes).flatMap((index) => Object.keys(index));
  const names = [className, ...Object.keys(fields), ...Object.keys(columns ?? {}), ...keys];
  const invalid = names.find((name) => !/^[\w.]+$/.test(name));
  if (invalid !== undefined) throw new ArchiveError(`${JSON.stringify(invalid)} is not a valid name`);
}

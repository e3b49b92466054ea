import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type { DatabaseConfig } from "../config/database.ts";
import { type BulkSession, openBulkSession } from "../database/postgres/bulkSession.ts";
import { LAYOUT_LOCK } from "../database/postgres/migrate.ts";
import { quoteIdentifier } from "../database/postgres/valueExpressions.ts";
import { type ArchiveTable, type RowCounts, writeArchive } from "./archive.ts";
import {
  CLASSES_TABLE,
  columnsOf,
  copyStatement,
  INTERNAL_TABLES,
  loadClassSchemas,
  tableExists,
} from "./postgresTables.ts";
import type { Progress } from "./progress.ts";

export type PostgresConfig = Extract<DatabaseConfig, { kind: "postgres" }>;

/** Stores the content of a backup. Rejects if that fails; the backup then fails. */
export type BackupSink = (content: Readable) => Promise<void>;

/** The URL for what needs a session of its own. */
export function sessionUrl({ url, directUrl }: PostgresConfig): string {
  return directUrl ?? url;
}

/**
 * Copies a PostgreSQL database while it is in use, through a connection alone. The copy contains all classes with their
 * objects and everything that belongs to them as of the beginning of the backup; not the chain index. Its content is
 * streamed. Classes cannot be deleted during a backup. Returns the number of rows by table.
 */
export async function backupPostgres(
  config: PostgresConfig,
  sink: BackupSink,
  progress: Progress,
): Promise<RowCounts> {
  const session = await openBulkSession(sessionUrl(config));
  try {
    if (!(await tableExists(session, CLASSES_TABLE))) throw new Error("the database is empty");
    const tables = await beginSnapshot(session);
    const [row] = await session.run(
      `SELECT version, current_setting('server_version'), (SELECT sum(greatest(reltuples, 0))
         FROM pg_class WHERE oid IN (SELECT to_regclass(name)
           FROM jsonb_array_elements_text(?::text::jsonb) AS tables(name)))
       FROM purse_layout`,
      [JSON.stringify(tables.map(quoteIdentifier))],
    );
    const [layout, server, estimate] = row ?? [];
    const counts: RowCounts = {};
    // The statistics may be outdated.
    const estimatedRows = Math.round(Number(estimate ?? 0));
    const archive = writeArchive(
      { layout: Number(layout), server: String(server), createdAt: new Date().toISOString() },
      readTables(session, tables),
      counts,
      (table) => {
        const count = totalRows(counts);
        progress.report(table, count, Math.max(estimatedRows, count));
      },
    );
    await storeCompressed(archive, sink);
    return counts;
  } finally {
    session.close();
  }
}

/**
 * Begins a transaction that sees the database as it is now, and returns the names of its tables. They are locked
 * against removal before another process can delete or create a class.
 */
async function beginSnapshot(session: BulkSession): Promise<string[]> {
  await session.run("SELECT pg_advisory_lock(?)", [LAYOUT_LOCK]);
  await session.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", []);
  const schemas = await loadClassSchemas(session);
  const tables = [...INTERNAL_TABLES, ...schemas.map(({ table }) => table)];
  await session.run(`LOCK TABLE ${tables.map(quoteIdentifier).join(", ")} IN ACCESS SHARE MODE`, []);
  await session.run("SELECT pg_advisory_unlock(?)", [LAYOUT_LOCK]);
  return tables;
}

/** The number of rows of all tables. */
export function totalRows(counts: RowCounts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

async function* readTables(session: BulkSession, tables: readonly string[]): AsyncGenerator<ArchiveTable> {
  for (const name of tables) {
    const columns = await columnsOf(session, name);
    yield { name, columns, rows: session.copyOut(`${copyStatement(name, columns)} TO STDOUT`) };
  }
}

async function storeCompressed(archive: AsyncIterable<Buffer>, sink: BackupSink): Promise<void> {
  const gzip = createGzip();
  const stored = sink(gzip).catch((error: unknown) => {
    gzip.destroy();
    throw error;
  });
  const [written, kept] = await Promise.allSettled([pipeline(archive, gzip), stored]);
  // If storing fails, the other one only reports that its reader has gone.
  if (kept.status === "rejected" && !(written.status === "rejected" && !isPremature(written.reason)))
    throw kept.reason;
  if (written.status === "rejected") throw written.reason;
}

function isPremature(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_STREAM_PREMATURE_CLOSE";
}

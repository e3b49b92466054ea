import type { ClassSchema } from "../database/classSchema.ts";
import type { BulkSession } from "../database/postgres/bulkSession.ts";
import { quoteIdentifier } from "../database/postgres/valueExpressions.ts";

/**
 * The internal tables in a backup. The others are about running processes: leases, sessions, rate limits, and the
 * change log, which begins anew after a restore. They have had these columns since the first version of the layout: a
 * migration that changes them must convert the rows of older backups.
 */
export const CLASSES_TABLE = "purse_classes";
export const INTERNAL_TABLES: readonly string[] = [
  CLASSES_TABLE,
  "purse_claims",
  "purse_relations",
  "purse_counts",
  "purse_requests",
];

/** Whether the store has a table: that of another schema of the search path belongs to another store. */
export async function tableExists(session: BulkSession, table: string): Promise<boolean> {
  const [row] = await session.run("SELECT to_regclass(quote_ident(current_schema()) || '.' || ?)", [
    quoteIdentifier(table),
  ]);
  return row?.[0] != null;
}

/** Returns the columns of a table that are not computed from others. */
export async function columnsOf(session: BulkSession, table: string): Promise<string[]> {
  const found = await session.run(
    `SELECT attname FROM pg_attribute WHERE attrelid = to_regclass(?) AND attnum > 0
       AND NOT attisdropped AND attgenerated = '' ORDER BY attnum`,
    [quoteIdentifier(table)],
  );
  return found.map(([name]) => String(name));
}

export async function loadClassSchemas(session: BulkSession): Promise<ClassSchema[]> {
  const found = await session.run("SELECT schema FROM purse_classes ORDER BY class_name", []);
  return found.map(([text]): ClassSchema => JSON.parse(String(text)));
}

/** Returns the start of a `COPY` statement. */
export function copyStatement(table: string, columns: readonly string[]): string {
  return `COPY ${quoteIdentifier(table)} (${columns.map(quoteIdentifier).join(", ")})`;
}

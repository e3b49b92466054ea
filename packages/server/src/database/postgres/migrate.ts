import { isConnectionLost } from "./errors.ts";
import { COMPATIBLE_MIGRATIONS, MIGRATIONS } from "./migrations.ts";
import type { ExclusivePool } from "./pools.ts";
import type { Session } from "./session.ts";
import type { Transaction } from "./transactions.ts";

/** Advisory lock for changes of the layout or of a class: `purse` as a number. */
export const LAYOUT_LOCK = 0x7075727365;

/** Acquires the lock for changes of the layout or of a class until the end of the transaction. */
export async function lockLayout(transaction: Pick<Transaction, "run">): Promise<void> {
  await transaction.run("SELECT pg_advisory_xact_lock(?)", [LAYOUT_LOCK]);
}

/** How often the migrations are run if the connection is lost meanwhile. */
const MAX_ATTEMPTS = 3;

/**
 * Migrates the internal tables to this version, in one transaction. If the connection is lost, it runs again: each
 * migration is done once, whether or not that one was committed.
 */
export async function migrate(pool: ExclusivePool): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await pool.withSession(migrateIn);
    } catch (error) {
      if (!isConnectionLost(error) || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

async function migrateIn(session: Session): Promise<void> {
  await session.begin();
  try {
    await migrateLayout(session);
    await session.command("COMMIT");
  } catch (error) {
    session.destroy("the layout could not be made");
    throw error;
  }
}

/**
 * Not by `IF NOT EXISTS`, which waits for all readers of the table also if it exists: a start would fail during a dump.
 * Like it, a table of another schema of the search path does not count, as it belongs to another application.
 */
async function createLayoutTable(transaction: Pick<Transaction, "run">): Promise<void> {
  const columns = await transaction.run(
    `SELECT attname FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
       JOIN pg_namespace ON pg_namespace.oid = relnamespace
     WHERE relname = 'purse_layout' AND nspname = current_schema() AND attnum > 0 AND NOT attisdropped`,
    [],
  );
  const names = columns.map(([name]) => name);
  if (!names.includes("version"))
    await transaction.run("CREATE TABLE purse_layout (version integer NOT NULL, migrations integer)", []);
  else if (!names.includes("migrations"))
    await transaction.run("ALTER TABLE purse_layout ADD COLUMN migrations integer", []);
}

/** The same in the transaction of the caller. */
export async function migrateLayout(transaction: Pick<Transaction, "run">): Promise<void> {
  await lockLayout(transaction);
  await createLayoutTable(transaction);
  const [row] = await transaction.run("SELECT version, coalesce(migrations, version) FROM purse_layout", []);
  const [required, completed] = [Number(row?.[0] ?? 0), Number(row?.[1] ?? 0)];
  if (required > MIGRATIONS.length) {
    throw new Error(
      `The database was written by a newer Purse (layout ${required}, this one knows ${MIGRATIONS.length}): start that version, or restore a backup from before`,
    );
  }
  for (const statements of MIGRATIONS.slice(completed)) {
    for (const statement of statements) await transaction.run(statement, []);
  }
  const next = [Math.max(required, COMPATIBLE_MIGRATIONS), Math.max(completed, MIGRATIONS.length)];
  if (row) await transaction.run("UPDATE purse_layout SET version = ?, migrations = ?", next);
  else await transaction.run("INSERT INTO purse_layout (version, migrations) VALUES (?, ?)", next);
}

import { MIGRATIONS } from "./layout.ts";
import type { ExclusivePool } from "./pools.ts";
import type { Transaction } from "./transactions.ts";

/** Advisory lock for changes of the layout or of a class: `purse` as a number. */
export const LAYOUT_LOCK = 0x7075727365;

/** Acquires the lock for changes of the layout or of a class until the end of the transaction. */
export async function lockLayout(transaction: Pick<Transaction, "run">): Promise<void> {
  await transaction.run("SELECT pg_advisory_xact_lock(?)", [LAYOUT_LOCK]);
}

/** Migrates the internal tables to this version, in one transaction. */
export function migrate(pool: ExclusivePool): Promise<void> {
  return pool.withSession(async (session) => {
    await session.begin();
    try {
      await migrateLayout(session);
      await session.command("COMMIT");
    } catch (error) {
      session.destroy("the layout could not be made");
      throw error;
    }
  });
}

/** The same in the transaction of the caller. */
export async function migrateLayout(transaction: Pick<Transaction, "run">): Promise<void> {
  await lockLayout(transaction);
  await transaction.run("CREATE TABLE IF NOT EXISTS purse_layout (version integer NOT NULL)", []);
  const [row] = await transaction.run("SELECT version FROM purse_layout", []);
  const version = Number(row?.[0] ?? 0);
  if (version > MIGRATIONS.length) {
    throw new Error(
      `The database was written by a newer Purse (layout ${version}, this one knows ${MIGRATIONS.length})`,
    );
  }
  for (const statements of MIGRATIONS.slice(version)) {
    for (const statement of statements) await transaction.run(statement, []);
  }
  if (row) await transaction.run("UPDATE purse_layout SET version = ?", [MIGRATIONS.length]);
  else await transaction.run("INSERT INTO purse_layout (version) VALUES (?)", [MIGRATIONS.length]);
}

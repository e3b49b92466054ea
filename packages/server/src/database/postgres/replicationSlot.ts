import { parseLsn } from "./decodedTransactions.ts";
import { decodingName, enableDecoding, startNewEpoch, TIMELINE } from "./decodingLayout.ts";
import { sqlState } from "./errors.ts";
import type { ExclusivePool } from "./pools.ts";
import type { Transaction } from "./transactions.ts";

export interface SlotDependencies {
  maintenancePool: ExclusivePool;
  /** Runs a transaction while no other process creates, changes or drops classes. */
  withSchemaLock<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>;
}

export interface PreparedSlot {
  /** Of the publication and the slot. */
  name: string;
  /** The commit up to which the log has all changes. */
  stored: bigint;
}

const SLOT = "FROM pg_replication_slots WHERE slot_name = ?";
/** A name that no slot has. */
const NO_SLOT = "purse_none";

/**
 * Throws an error for operators if the server cannot decode changes, does not allow it, or would keep its log without a
 * limit.
 */
export async function assertDecodable(pool: ExclusivePool): Promise<void> {
  const [row] = await pool.withSession((session) =>
    session.run(
      `SELECT current_setting('wal_level'), current_setting('max_slot_wal_keep_size'),
         current_setting('server_version_num')::int >= 140000, current_user,
         has_database_privilege(current_database(), 'CREATE'), publication.name,
         (SELECT pg_has_role(pubowner, 'USAGE') FROM pg_publication WHERE pubname = publication.name)
       FROM ${decodingName()} AS publication(name)`,
      [],
    ),
  );
  // Earlier versions leave out the messages of the log.
  if (row?.[2] !== "t") throw new Error("PURSE_CHANGES=decoding needs PostgreSQL 14 or newer");
  if (row?.[0] !== "logical")
    throw new Error(`PURSE_CHANGES=decoding needs wal_level = logical in PostgreSQL, and it is ${row?.[0]}`);
  if (row[1] === "-1")
    throw new Error(
      "PURSE_CHANGES=decoding needs max_slot_wal_keep_size in PostgreSQL, for example 10GB: its log would fill the disk while no process reads the changes",
    );
  if (!(await canUseSlots(pool)))
    throw new Error(
      `PURSE_CHANGES=decoding needs the attribute REPLICATION for the role ${row?.[3]} in PostgreSQL: ALTER ROLE ${row?.[3]} REPLICATION (on Amazon RDS: GRANT rds_replication TO ${row?.[3]})`,
    );
  const [, , , role, canCreate, publication, ownsPublication] = row;
  if (ownsPublication === "f")
    throw new Error(
      `PURSE_CHANGES=decoding needs the role ${role} to own the publication ${publication} in PostgreSQL: ALTER PUBLICATION ${publication} OWNER TO ${role}`,
    );
  if (ownsPublication !== "t" && canCreate !== "t")
    throw new Error(
      `PURSE_CHANGES=decoding needs the privilege CREATE on the database for the role ${role} in PostgreSQL`,
    );
}

/** Whether the role may use replication slots. Attributes of roles do not show it where a provider grants it otherwise. */
async function canUseSlots(pool: ExclusivePool): Promise<boolean> {
  try {
    await pool.withSession((session) => session.run("SELECT pg_drop_replication_slot(?)", [NO_SLOT]));
    return true;
  } catch (error) {
    if (sqlState(error) === undefined) throw error;
    // The privilege is checked before the name.
    return sqlState(error) !== "42501";
  }
}

/**
 * Prepares the slot for this process, which ends its use by another one. If the slot is new, or does not continue where
 * the log ends, changes may be missing: the log gets a new epoch. A slot whose position is not stored is from an attempt
 * that did not end here, or older than the publication. One of another timeline is from the time before a failover: a
 * former primary that is promoted again still has it, and rows that it needs may have been removed since.
 */
export async function prepareSlot({
  maintenancePool,
  withSchemaLock,
}: SlotDependencies): Promise<PreparedSlot> {
  const name = await withSchemaLock(enableDecoding);
  await maintenancePool.withSession(async (session) => {
    await session.run(`SELECT pg_terminate_backend(active_pid, 5000) ${SLOT} AND active_pid IS NOT NULL`, [
      name,
    ]);
    await session.run(
      `SELECT pg_drop_replication_slot(slot_name) ${SLOT}
         AND (wal_status = 'lost'
           OR EXISTS (SELECT FROM purse_decoding WHERE lsn = '0/0' OR timeline <> ${TIMELINE}))`,
      [name],
    );
    const [slot] = await session.run(`SELECT 1 ${SLOT}`, [name]);
    if (slot) return;
    // Whatever the position was, it belongs to another slot, and possibly to another server.
    await session.run("UPDATE purse_decoding SET lsn = '0/0'", []);
    await session.run("SELECT pg_create_logical_replication_slot(?, 'pgoutput')", [name]);
  });
  return withSchemaLock(async (transaction) => {
    const skipped = await transaction.run(
      `UPDATE purse_decoding SET lsn = confirmed_flush_lsn - 1 ${SLOT}
         AND pg_wal_lsn_diff(confirmed_flush_lsn, lsn) > 1 RETURNING 1`,
      [name],
    );
    if (skipped.length > 0) await startNewEpoch(transaction);
    await transaction.run(`UPDATE purse_decoding SET timeline = ${TIMELINE}`, []);
    const [row] = await transaction.run("SELECT lsn FROM purse_decoding", []);
    return { name, stored: parseLsn(row?.[0] ?? null) };
  });
}

/** Removes a slot that no process uses. */
export async function dropSlot(pool: ExclusivePool, name: string): Promise<void> {
  await pool.withSession(async (session) => {
    await session.run(`SELECT pg_terminate_backend(active_pid, 5000) ${SLOT} AND active_pid IS NOT NULL`, [
      name,
    ]);
    await session.run(`SELECT pg_drop_replication_slot(slot_name) ${SLOT}`, [name]);
  });
}

import { randomBytes } from "node:crypto";
import { performance } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import { ErrorCode, ProtocolError } from "@purse/protocol";
import type { ClassSchema } from "../classSchema.ts";
import { appendFunction, CHANGE_TRIGGER, dropTrigger } from "./changeTriggers.ts";
import { postgresDialect } from "./dialect.ts";
import { isUnknownRelation } from "./errors.ts";
import type { Sql } from "./session.ts";
import { limitLockWaits } from "./shortLocks.ts";
import type { Transaction } from "./transactions.ts";

/*
 * The change log from logical decoding, as an option: the tables of classes with subscribers are in a publication, and
 * one process reads the changes from a replication slot and adds them to the log, in the order of the commits. Writers do
 * nothing for it. These tables exist only while changes are decoded.
 */

/**
 * One row: the commit (the position of its record) up to which all changes are in the log, and the timeline of the
 * slot, which the previous version does not store.
 */
const STATE = "purse_decoding";
/** The tables whose changes are decoded, and those for which that has ended. */
export const DECODED_TABLES = "purse_decoded_tables";
/** In the function of the trigger, whether the changes of its table are decoded. */
export const IS_DECODED = `EXISTS (SELECT FROM ${DECODED_TABLES} WHERE id = TG_RELID AND is_active)`;

/** The lease of the process that reads the slot. */
export const DECODING_LEASE = "changes";

/** The table of this store; that of another schema of the search path belongs to another one. Null if there is none. */
const OWN_STATE = `to_regclass(quote_ident(current_schema()) || '.${STATE}')`;

/** Whether changes are decoded. */
export const DECODING_EXISTS = `${OWN_STATE} IS NOT NULL`;

/** The database cluster, and its timeline, which changes with a failover or a restore. */
export const TIMELINE = `((SELECT to_hex(system_identifier) FROM pg_control_system())
  || ltrim(lower(substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)), '0'))`;

/** Content of a message of a transaction whose later changes are not logged. */
export const SILENT = "silent";

const MAX_SETTLE_DELAY_MS = 50;

/**
 * SQL of the name of the publication, of the slot, and of messages for the reader; null if changes are not decoded. Slots
 * belong to the whole server, so that the name has to differ between databases and schemas.
 */
export function decodingName(): string {
  return `(SELECT 'purse_' || oid || '_' || ${OWN_STATE}::oid FROM pg_database
    WHERE datname = current_database())`;
}

/** Returns the name of the publication and the slot; undefined if changes are not decoded. */
export async function decodingOf(sql: Pick<Sql, "run">): Promise<string | undefined> {
  const [row] = await sql.run(`SELECT ${decodingName()}`, []);
  return row?.[0] ?? undefined;
}

/** Prepares the database for decoding if that has not been done. Requires the lock of the layout. */
export async function enableDecoding(transaction: Transaction): Promise<string> {
  const known = await decodingOf(transaction);
  if (known !== undefined) {
    const [timeline] = await transaction.run(
      `SELECT 1 FROM pg_attribute WHERE attrelid = ${OWN_STATE} AND attname = 'timeline'`,
      [],
    );
    if (!timeline) await transaction.run(`ALTER TABLE ${STATE} ADD COLUMN timeline text`, []);
    if (await isPublished(transaction, known)) return known;
    // In a copy of a database (pg_dump), the OIDs and hence the name differ.
    await transaction.run(`DELETE FROM ${DECODED_TABLES}`, []);
    await transaction.run(`UPDATE ${STATE} SET lsn = '0/0'`, []);
    await createPublication(transaction, known);
    return known;
  }
  await transaction.run(`CREATE TABLE ${STATE} (lsn pg_lsn NOT NULL, timeline text)`, []);
  await transaction.run(`INSERT INTO ${STATE} (lsn) VALUES ('0/0')`, []);
  await transaction.run(
    `CREATE TABLE ${DECODED_TABLES} (
       id oid PRIMARY KEY, class_name text COLLATE "C" NOT NULL, is_active boolean NOT NULL)`,
    [],
  );
  // Processes that do not decode, or do not know of it, add triggers: each change is logged once.
  await transaction.run(`CREATE OR REPLACE FUNCTION ${appendFunction(IS_DECODED)}`, []);
  const name = String(await decodingOf(transaction));
  await createPublication(transaction, name);
  return name;
}

async function isPublished(transaction: Transaction, name: string): Promise<boolean> {
  const [publication] = await transaction.run("SELECT 1 FROM pg_publication WHERE pubname = ?", [name]);
  return publication !== undefined;
}

async function createPublication(transaction: Transaction, name: string): Promise<void> {
  const [version] = await transaction.run("SELECT current_setting('server_version_num')::int >= 180000", []);
  // Typed columns are generated; from this version on, changes of their tables would fail without it.
  const generated = version?.[0] === "t" ? ", publish_generated_columns = stored" : "";
  await transaction.run(
    `CREATE PUBLICATION ${name} WITH (publish = 'insert, update, delete'${generated})`,
    [],
  );
  await startNewEpoch(transaction);
}

/** Ends decoding; triggers log the changes again. Requires the lock of the layout. */
export async function disableDecoding(transaction: Transaction, name: string): Promise<void> {
  await limitLockWaits(transaction);
  // In a copy of a database (pg_dump), the OIDs and hence the name are those of others.
  if (await isPublished(transaction, name)) {
    const tables = await transaction.run(
      `SELECT format('%s', id::regclass) FROM ${DECODED_TABLES} JOIN pg_class ON oid = id WHERE is_active`,
      [],
    );
    for (const [table] of tables) await transaction.run(`ALTER TABLE ${table} REPLICA IDENTITY DEFAULT`, []);
    await transaction.run(`DROP PUBLICATION ${name}`, []);
  }
  await transaction.run(`CREATE OR REPLACE FUNCTION ${appendFunction()}`, []);
  await transaction.run(`DROP TABLE ${STATE}, ${DECODED_TABLES}`, []);
  await startNewEpoch(transaction);
}

/** A new name for the epoch of the log, within which its positions apply. */
export function createEpoch(): string {
  return randomBytes(6).toString("hex");
}

/** Changes may be missing from the log: all readers subscribe again, and their clients query again. */
export async function startNewEpoch(transaction: Transaction): Promise<void> {
  await transaction.run("UPDATE purse_log_state SET epoch = ?", [createEpoch()]);
}

/**
 * Begins to decode the changes of a class. The lock of the table waits for all transactions that have written to it:
 * each change is either before or after this one, and none is logged twice.
 */
export async function publishTable(
  transaction: Transaction,
  schema: ClassSchema,
  name: string,
): Promise<void> {
  const table = postgresDialect.identifier(schema.table);
  const [known] = await transaction.run(
    `SELECT 1 FROM ${DECODED_TABLES} WHERE id = to_regclass(?) AND is_active`,
    [table],
  );
  if (known) return;
  const previous = await limitLockWaits(transaction);
  // Objects before their change are part of the log.
  await transaction.run(`ALTER TABLE ${table} REPLICA IDENTITY FULL`, []);
  await transaction.run("SELECT set_config('lock_timeout', ?, true)", [previous]);
  await transaction.run(`ALTER PUBLICATION ${name} ADD TABLE ${table}`, []);
  await transaction.run(
    `INSERT INTO ${DECODED_TABLES} (id, class_name, is_active) VALUES (to_regclass(?), ?, true)
     ON CONFLICT (id) DO UPDATE SET class_name = excluded.class_name, is_active = true`,
    [table, schema.className],
  );
  await dropTrigger(transaction, schema, CHANGE_TRIGGER);
}

/** Ends the decoding of classes without subscriptions. What was written until then is still added to the log. */
export async function unpublishUnused(transaction: Transaction, name: string): Promise<void> {
  const ended = await transaction.run(
    `WITH ended AS (UPDATE ${DECODED_TABLES} AS decoded SET is_active = false WHERE is_active AND NOT EXISTS (
         SELECT FROM purse_log_subscriptions AS known WHERE known.class_name = decoded.class_name) RETURNING id)
     SELECT format('%s', id::regclass) FROM ended JOIN pg_class ON oid = id`,
    [],
  );
  for (const [table] of ended) {
    await transaction.run(`ALTER PUBLICATION ${name} DROP TABLE ${table}`, []);
    await transaction.run(`ALTER TABLE ${table} REPLICA IDENTITY DEFAULT`, []);
  }
}

/**
 * Resolves when the log has everything that was committed before the call. Rejects if that takes longer than until
 * `deadline` (performance.now()).
 */
export async function awaitDecoding(sql: Sql, deadline: number): Promise<void> {
  // Its commit comes after all of them, and the reader stores the position of that.
  const [row] = await sql.run(`SELECT pg_logical_emit_message(true, ${decodingName()}, 'settle')`, []);
  const position = row?.[0];
  if (position == null) return;
  for (let pause = 2; ; pause = Math.min(MAX_SETTLE_DELAY_MS, pause * 2)) {
    const [state] = await sql
      .run(`SELECT lsn >= ?::pg_lsn FROM ${STATE}`, [position])
      .catch((error: unknown) => {
        // Decoding has ended meanwhile, and the next attempt is with triggers.
        if (isUnknownRelation(error)) throw notRead();
        throw error;
      });
    if (state?.[0] === "t") return;
    if (performance.now() > deadline) throw notRead();
    await delay(pause);
  }
}

function notRead(): ProtocolError {
  return new ProtocolError(ErrorCode.TIMEOUT, "Changes are not read from the database. Try again.", 503);
}

import { randomBytes } from "node:crypto";
import type { ClassSchema } from "../classSchema.ts";
import {
  APPEND_FUNCTION,
  addTrigger,
  BEGIN_FUNCTION,
  CHANGE_TRIGGER,
  KEY_RANGE,
  WRITER_LOCKS,
} from "./changeTriggers.ts";
import { logNewClassForPreviousVersion, restartPreviousChangeLog } from "./previousChangeLog.ts";
import type { Transaction } from "./transactions.ts";

/**
 * The change log. Writers take numbers from a sequence without waiting for each other, when their transaction commits
 * and has locked all of its rows: changes of one object are numbered in the order of their commits. Other transactions may
 * commit in another order than that of their numbers, so that readers need to know up to which number all transactions
 * have ended. To that end, each writer first acquires a shared advisory lock, which blocks nobody, and whose key is the
 * last number that was assigned until then: all of its own numbers are higher. The watermark is the lowest number among
 * the locks that are held, and the last assigned number if there are none.
 */
export const CHANGE_LOG_TABLES: string[] = [
  `CREATE TABLE purse_log (
    seq bigserial PRIMARY KEY, at bigint NOT NULL, class_name text COLLATE "C" NOT NULL,
    object_id text COLLATE "C" NOT NULL, was jsonb, became jsonb)`,
  "CREATE INDEX purse_log_class ON purse_log (class_name, seq)",
  // The last value of an unused sequence is one that it has not assigned yet.
  "SELECT nextval('purse_log_seq_seq')",
  `CREATE TABLE purse_log_subscriptions (
    class_name text COLLATE "C" PRIMARY KEY, since bigint NOT NULL, until bigint NOT NULL)`,
  "CREATE TABLE purse_log_state (epoch text NOT NULL, trimmed bigint NOT NULL)",
  "INSERT INTO purse_log_state VALUES (substr(md5(random()::text || clock_timestamp()::text), 1, 12), 0)",
  `CREATE FUNCTION ${BEGIN_FUNCTION}`,
  `CREATE FUNCTION ${APPEND_FUNCTION}`,
  // The last number is read before the locks: whoever has taken it by then holds its lock, or has ended.
  `CREATE FUNCTION purse_log_watermark(OUT assigned bigint, OUT finished bigint) LANGUAGE plpgsql AS $$
   BEGIN
     SELECT last_value INTO assigned FROM purse_log_seq_seq;
     SELECT least(assigned, min(assigned - (assigned - objid::bigint) % ${KEY_RANGE})) INTO finished FROM pg_locks
     WHERE locktype = 'advisory' AND classid = ${WRITER_LOCKS} AND objsubid = 2
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database());
   END $$`,
];

/** The functions of tables that were created before the functions needed less time. */
export const CHANGE_LOG_FUNCTIONS: string[] = [
  `CREATE OR REPLACE FUNCTION ${BEGIN_FUNCTION}`,
  `CREATE OR REPLACE FUNCTION ${APPEND_FUNCTION}`,
];

/**
 * Earlier versions could read changes by logical decoding instead of triggers. Ends that: subscribers subscribe again,
 * which adds the triggers. In a copy of a database (pg_dump), object identifiers and hence the name of the publication differ,
 * and there is none.
 */
export const END_OF_DECODING: string[] = [
  `DO $end$ DECLARE publication text; class_table text; BEGIN
     SELECT 'purse_' || pg_database.oid || '_' || pg_class.oid INTO publication FROM pg_database, pg_class
     WHERE datname = current_database() AND relname = 'purse_decoding' AND relnamespace = current_schema()::regnamespace;
     IF publication IS NULL THEN RETURN; END IF;
     PERFORM pg_terminate_backend(active_pid, 5000) FROM pg_replication_slots
     WHERE slot_name = publication AND active_pid IS NOT NULL;
     PERFORM pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = publication;
     IF EXISTS (SELECT FROM pg_publication WHERE pubname = publication) THEN
       FOR class_table IN
         SELECT id::regclass::text FROM purse_decoded_tables JOIN pg_class ON pg_class.oid = id WHERE is_active
       LOOP EXECUTE 'ALTER TABLE ' || class_table || ' REPLICA IDENTITY DEFAULT';
       END LOOP;
       EXECUTE 'DROP PUBLICATION ' || publication;
     END IF;
     DROP TABLE purse_decoding, purse_decoded_tables;
     UPDATE purse_log_state SET epoch = substr(md5(random()::text || clock_timestamp()::text), 1, 12);
   END $end$`,
  `CREATE OR REPLACE FUNCTION ${APPEND_FUNCTION}`,
];

/** A new name for the epoch of the log, within which its positions apply. */
export function createEpoch(): string {
  return randomBytes(6).toString("hex");
}

/** Disables logging for the rest of a transaction: maintenance of whole classes is not logged. */
export async function disableChangeLog(transaction: Transaction): Promise<void> {
  await transaction.run("SELECT set_config('purse.silent', 'on', true)", []);
  // A table with pending deferred triggers cannot be altered.
  await transaction.run("SET CONSTRAINTS ALL IMMEDIATE", []);
}

/**
 * Empties the log after the tables of all classes were created anew. Positions of clients are no longer valid. Returns
 * the new epoch.
 */
export async function restartChangeLog(transaction: Pick<Transaction, "run">): Promise<string> {
  const epoch = createEpoch();
  await transaction.run("DELETE FROM purse_log", []);
  await transaction.run("DELETE FROM purse_log_subscriptions", []);
  await transaction.run("UPDATE purse_log_state SET epoch = ?", [epoch]);
  await restartPreviousChangeLog(transaction, epoch);
  return epoch;
}

/** Logs the changes of a new class that was subscribed to before it existed. */
export async function logNewClass(transaction: Transaction, schema: ClassSchema): Promise<void> {
  const [subscription] = await transaction.run("SELECT 1 FROM purse_log_subscriptions WHERE class_name = ?", [
    schema.className,
  ]);
  if (subscription) await logClass(transaction, schema);
  await logNewClassForPreviousVersion(transaction, schema);
}

/** Begins to log the changes of a class. */
export async function logClass(transaction: Transaction, schema: ClassSchema): Promise<void> {
  await addTrigger(transaction, schema, CHANGE_TRIGGER);
}

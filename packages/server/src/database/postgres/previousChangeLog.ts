import type { ClassSchema } from "../classSchema.ts";
import { addTrigger, dropTrigger } from "./changeTriggers.ts";
import type { Transaction } from "./transactions.ts";

/**
 * The change log of the previous version, whose writers number changes in commit order under a lock. Processes of that
 * version go on using it while both versions run. It costs nothing once their subscriptions have expired, and a later
 * version removes it.
 */
const TRIGGER = { name: "purse_change", function: "purse_log_change" };

/** Advisory lock that is held from numbering a change to its commit, so that numbers increase in commit order. */
const LOG_LOCK = 0x70757273656c;

export const PREVIOUS_CHANGE_LOG_TABLES: string[] = [
  `CREATE TABLE purse_changes (
    seq bigserial PRIMARY KEY, at bigint NOT NULL, class_name text COLLATE "C" NOT NULL,
    object_id text COLLATE "C" NOT NULL, was text, became text)`,
  "CREATE INDEX purse_changes_class ON purse_changes (class_name, seq)",
  `CREATE TABLE purse_followed (
    class_name text COLLATE "C" PRIMARY KEY, since bigint NOT NULL, until bigint NOT NULL)`,
  "CREATE TABLE purse_change_log (epoch text NOT NULL, trimmed bigint NOT NULL)",
  "INSERT INTO purse_change_log VALUES (substr(md5(random()::text || clock_timestamp()::text), 1, 12), 0)",
  `CREATE FUNCTION purse_log_change() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     IF current_setting('purse.silent', true) = 'on' THEN RETURN NULL; END IF;
     PERFORM pg_advisory_xact_lock(${LOG_LOCK});
     INSERT INTO purse_changes (at, class_name, object_id, was, became)
     VALUES ((extract(epoch FROM clock_timestamp()) * 1000)::bigint, TG_ARGV[0],
       coalesce(NEW.id, OLD.id), OLD.doc::text, NEW.doc::text);
     PERFORM pg_notify('purse', 'changes');
     RETURN NULL;
   END $$`,
];

/** Adds the trigger to a new class to which processes of the previous version are subscribed. */
export async function logNewClassForPreviousVersion(
  transaction: Transaction,
  schema: ClassSchema,
): Promise<void> {
  const [followed] = await transaction.run("SELECT 1 FROM purse_followed WHERE class_name = ?", [
    schema.className,
  ]);
  if (followed) await addTrigger(transaction, schema, TRIGGER);
}

/** Empties the log; `epoch` is its new epoch. */
export async function restartPreviousChangeLog(
  transaction: Pick<Transaction, "run">,
  epoch: string,
): Promise<void> {
  await transaction.run("DELETE FROM purse_changes", []);
  await transaction.run("DELETE FROM purse_followed", []);
  await transaction.run("UPDATE purse_change_log SET epoch = ?", [epoch]);
}

/** The condition that a subscription of the previous version has expired, with the time as parameter. */
export const EXPIRED_PREVIOUS_SUBSCRIPTION = "SELECT 1 FROM purse_followed WHERE until < ? LIMIT 1";

/** Ends the expired subscriptions of processes of the previous version. */
export async function endPreviousSubscriptions(transaction: Transaction, now: number): Promise<void> {
  const expired = await transaction.run(
    `WITH ended AS (DELETE FROM purse_followed WHERE until < ? RETURNING class_name)
     SELECT schema FROM purse_classes JOIN ended USING (class_name)`,
    [now],
  );
  for (const [schema] of expired) await dropTrigger(transaction, JSON.parse(String(schema)), TRIGGER);
}

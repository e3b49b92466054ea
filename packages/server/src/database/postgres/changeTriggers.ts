import { CHANGES_LOGGED, CHANGES_PUBLISHED } from "../changeLog.ts";
import type { ClassSchema } from "../classSchema.ts";
import { postgresDialect } from "./dialect.ts";
import type { Transaction } from "./transactions.ts";

/** A trigger that logs the changes of a class, and the function that it calls. */
export interface ChangeTrigger {
  name: string;
  function: string;
}

/** The trigger of classes with subscribers; other classes have no overhead. */
export const CHANGE_TRIGGER: ChangeTrigger = { name: "purse_append", function: "purse_append_change" };

/** First half of the keys of the advisory locks of writers: `purs` as a number. */
export const WRITER_LOCKS = 0x70757273;
/** The second half is the last number modulo this. */
export const KEY_RANGE = 0x8000_0000;

/**
 * Begins to add to the log in a transaction, before the first number is taken from the sequence. Every transaction that
 * is logged does this, so that there are only expressions, which PL/pgSQL evaluates without running a query. `ignored`
 * is a variable. The message costs the server and its client a system call each.
 */
const BEGIN_APPEND = `IF current_setting('purse.appending', true) IS DISTINCT FROM 'on' THEN
       ignored := pg_advisory_xact_lock_shared(${WRITER_LOCKS},
         (coalesce(pg_sequence_last_value('purse_log_seq_seq'::regclass), 0) % ${KEY_RANGE})::integer);
       ignored := set_config('purse.appending', 'on', true);
       IF current_setting('${CHANGES_PUBLISHED}', true) IS DISTINCT FROM 'on' THEN RAISE INFO '${CHANGES_LOGGED}'; END IF;
     END IF;`;

/** A function that begins to add to the log. */
export const BEGIN_FUNCTION = `purse_begin_append() RETURNS void LANGUAGE plpgsql AS $$
   DECLARE ignored text;
   BEGIN
     ${BEGIN_APPEND}
   END $$`;

/** The function of the trigger. */
export const APPEND_FUNCTION = `${CHANGE_TRIGGER.function}() RETURNS trigger LANGUAGE plpgsql AS $$
   DECLARE ignored text;
   BEGIN
     IF current_setting('purse.silent', true) = 'on' THEN RETURN NULL; END IF;
     ${BEGIN_APPEND}
     INSERT INTO purse_log (at, class_name, object_id, was, became)
     VALUES ((extract(epoch FROM clock_timestamp()) * 1000)::bigint, TG_ARGV[0],
       coalesce(NEW.id, OLD.id), OLD.doc, NEW.doc);
     RETURN NULL;
   END $$`;

/** Adds a trigger to the table of a class. It is deferred to the commit. */
export async function addTrigger(
  transaction: Transaction,
  schema: ClassSchema,
  trigger: ChangeTrigger,
): Promise<void> {
  const table = postgresDialect.identifier(schema.table);
  const [existing] = await transaction.run(
    "SELECT 1 FROM pg_trigger WHERE tgrelid = to_regclass(?) AND tgname = ?",
    [table, trigger.name],
  );
  if (existing) return;
  // Class names are validated to contain only letters, digits and _.
  await transaction.run(
    `CREATE CONSTRAINT TRIGGER ${trigger.name} AFTER INSERT OR UPDATE OR DELETE ON ${table}
     DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION ${trigger.function}('${schema.className}')`,
    [],
  );
}

export async function dropTrigger(
  transaction: Transaction,
  schema: ClassSchema,
  trigger: ChangeTrigger,
): Promise<void> {
  await transaction.run(
    `DROP TRIGGER IF EXISTS ${trigger.name} ON ${postgresDialect.identifier(schema.table)}`,
    [],
  );
}

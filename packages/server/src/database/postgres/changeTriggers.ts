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

/** The function of the trigger. `skips` is a condition on which it logs nothing. */
export function appendFunction(skips?: string): string {
  return `${CHANGE_TRIGGER.function}() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     IF current_setting('purse.silent', true) = 'on' THEN RETURN NULL; END IF;${skips === undefined ? "" : `\n     IF ${skips} THEN RETURN NULL; END IF;`}
     PERFORM purse_begin_append();
     INSERT INTO purse_log (at, class_name, object_id, was, became)
     VALUES ((extract(epoch FROM clock_timestamp()) * 1000)::bigint, TG_ARGV[0],
       coalesce(NEW.id, OLD.id), OLD.doc, NEW.doc);
     RETURN NULL;
   END $$`;
}

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

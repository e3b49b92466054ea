import type { Store } from "../../database/store.ts";
import type { ClassRules } from "../objects/classRules.ts";
import { type AccessSettings, defaultAccess } from "../permissions/classAccess.ts";
import { Schemas } from "./schemas.ts";
import { systemClasses } from "./systemClasses.ts";

/**
 * Loads the classes of a database, including built-in ones, for commands that run without a server. With the settings,
 * classes that it creates are as closed as those of a server.
 */
export async function openSchemas(
  store: Store,
  rules: ReadonlyMap<string, ClassRules> = systemClasses(),
  config?: AccessSettings,
): Promise<Schemas> {
  const schemas = new Schemas(store, rules, config && ((recorded) => defaultAccess(config, recorded)));
  // Changes of others arrive until the store is closed, also after a command has read its last class. If the database is
  // away, the statements of the command fail themselves.
  await schemas.load(() => undefined);
  return schemas;
}

import type { Store } from "../../database/store.ts";
import type { ClassRules } from "../objects/classRules.ts";
import { Schemas } from "./schemas.ts";
import { systemClasses } from "./systemClasses.ts";

/** Loads the classes of a database, including built-in ones, for commands that run without a server. */
export async function openSchemas(
  store: Store,
  rules: ReadonlyMap<string, ClassRules> = systemClasses(),
): Promise<Schemas> {
  const schemas = new Schemas(store, rules);
  await schemas.load((error) => {
    throw error;
  });
  return schemas;
}

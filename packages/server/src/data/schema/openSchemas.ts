import type { Store } from "../../database/store.ts";
import { Schemas } from "./schemas.ts";
import { systemClasses } from "./systemClasses.ts";

/** Loads the classes of a database, including built-in ones, for commands that run without a server. */
export function openSchemas(store: Store): Promise<Schemas> {
  return Schemas.load(store, systemClasses(), (error) => {
    throw error;
  });
}

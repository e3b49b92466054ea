import { systemClasses } from "../auth/systemClasses.ts";
import type { Store } from "../store/store.ts";
import { Schemas } from "./schemas.ts";

/** The classes of a store with those that the server brings, for work that needs no server. */
export function openSchemas(store: Store): Promise<Schemas> {
  return Schemas.load(store, systemClasses(), (error) => {
    throw error;
  });
}

import { connection } from "../connection.ts";
import type { LocalStore } from "./LocalStore.ts";

/** The pin for objects that are pinned without a name. */
export const DEFAULT_PIN = "_default";

/** The local datastore. Throws unless `enableLocalDatastore` was called. */
export function localStore(): LocalStore {
  const { local } = connection();
  if (local) return local;
  throw new Error("Moralis.enableLocalDatastore() must be called first");
}

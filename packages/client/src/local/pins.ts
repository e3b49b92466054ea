import { connection } from "../connection.ts";
import type { LocalStore } from "./LocalStore.ts";

/** The pin of objects that were pinned without a name. */
export const DEFAULT_PIN = "_default";

/** The objects kept on this device. Throws until `enableLocalDatastore` was called. */
export function localStore(): LocalStore {
  const { local } = connection();
  if (local) return local;
  throw new Error("Moralis.enableLocalDatastore() must be called first");
}

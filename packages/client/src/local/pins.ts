import { connection } from "../connection.ts";
import type { LocalObject, LocalStore } from "./LocalStore.ts";

/** The pin of objects that were pinned without a name. */
export const DEFAULT_PIN = "_default";

/** The objects kept on this device. Throws until `enableLocalDatastore` was called. */
export function localStore(): LocalStore {
  const { local } = connection();
  if (local) return local;
  throw new Error("Moralis.enableLocalDatastore() must be called first");
}

/** Objects were saved or fetched; a pin that cannot follow does not make that fail. */
export async function keepSynced(objects: readonly LocalObject[]): Promise<void> {
  await connection().local?.synced(objects).catch(warnOf);
}

export async function keepDestroyed(objects: readonly LocalObject[]): Promise<void> {
  await connection().local?.destroyed(objects).catch(warnOf);
}

function warnOf(error: unknown): void {
  console.warn("Moralis: the local datastore could not follow a change.", error);
}

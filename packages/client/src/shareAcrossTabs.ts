import { currentConnection } from "./connection.ts";
import { loadValueTypes } from "./object/valueTypes.ts";
import { storageKey } from "./storage.ts";
import { reloadUser } from "./storedUser.ts";

/**
 * Synchronizes the signed-in user with the application's other tabs. Wallets do so by
 * themselves. Returns a function that stops it.
 */
export function shareAcrossTabs(): () => void {
  if (typeof window === "undefined") return () => {};
  const onStorage = ({ key, newValue, storageArea }: StorageEvent) => {
    const conn = currentConnection();
    if (conn?.storage.kind !== "sync" || conn.storage.area !== storageArea) return;
    // No key means that the whole storage was cleared.
    const isAffected = (name: string) => key === null || key === storageKey(conn.applicationId, name);
    const reload = (): void => reloadUser(conn);
    if (isAffected("currentUser")) loadValueTypes(newValue ?? "").then(reload, reload);
  };
  window.addEventListener("storage", onStorage);
  return () => window.removeEventListener("storage", onStorage);
}

import { currentConnection } from "./connection.ts";
import { rereadUser } from "./identity.ts";
import { loadValueTypes } from "./object/valueTypes.ts";
import { storageKey } from "./storage.ts";

/**
 * Synchronizes the signed-in user with the application's other tabs. Wallets do so by
 * themselves. Returns a function that stops it.
 */
export function shareAcrossTabs(): () => void {
  if (typeof window === "undefined") return () => {};
  const heard = ({ key, newValue, storageArea }: StorageEvent) => {
    const on = currentConnection();
    if (on?.storage.kind !== "sync" || on.storage.area !== storageArea) return;
    // No key means that the whole storage was cleared.
    const concerns = (name: string) => key === null || key === storageKey(on.applicationId, name);
    const reread = (): void => rereadUser(on);
    if (concerns("currentUser")) loadValueTypes(newValue ?? "").then(reread, reread);
  };
  window.addEventListener("storage", heard);
  return () => window.removeEventListener("storage", heard);
}

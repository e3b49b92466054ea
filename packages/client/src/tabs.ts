import { currentConnection } from "./connection.ts";
import { rereadUser } from "./identity.ts";
import { loadValueTypes } from "./object/valueTypes.ts";
import { storageKey } from "./storage.ts";

/**
 * Keeps this page in step with the application's other tabs: who signs in or out there does so here. Wallets follow by
 * themselves. Returns the way to stop it.
 */
export function shareAcrossTabs(): () => void {
  if (typeof window === "undefined") return () => {};
  const heard = ({ key, newValue, storageArea }: StorageEvent) => {
    const on = currentConnection();
    if (on?.storage.kind !== "immediate" || on.storage.area !== storageArea) return;
    // Without a key everything was cleared.
    const concerns = (name: string) => key === null || key === storageKey(on.applicationId, name);
    const reread = (): void => rereadUser(on);
    if (concerns("currentUser")) loadValueTypes(newValue ?? "").then(reread, reread);
  };
  window.addEventListener("storage", heard);
  return () => window.removeEventListener("storage", heard);
}

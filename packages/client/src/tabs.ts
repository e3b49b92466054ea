import { currentConnection } from "./connection.ts";
import { rereadUser } from "./identity.ts";
import { storageKey } from "./storage.ts";
import { deactivateWeb3, reconnectWallet } from "./wallet/wallet.ts";

/**
 * Keeps this page in step with the application's other tabs: who signs in or out there does so here, and a
 * wallet that is connected or put away there is here too. Returns the way to stop it.
 */
export function shareAcrossTabs(): () => void {
  if (typeof window === "undefined") return () => {};
  const heard = ({ key, newValue, storageArea }: StorageEvent) => {
    const on = currentConnection();
    if (on?.storage.kind !== "immediate" || on.storage.area !== storageArea) return;
    // Without a key everything was cleared.
    const concerns = (name: string) => key === null || key === storageKey(on.applicationId, name);
    if (concerns("currentUser")) rereadUser(on);
    if (concerns("wallet")) void followWallet(newValue !== null);
  };
  window.addEventListener("storage", heard);
  return () => window.removeEventListener("storage", heard);
}

async function followWallet(connected: boolean): Promise<void> {
  if (!connected) return deactivateWeb3();
  // A wallet that does not answer in this tab stays away from it.
  await reconnectWallet().catch(() => false);
}

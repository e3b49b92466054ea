import { type Connection, currentConnection } from "../connection.ts";
import { storageKey } from "../storage.ts";

/** The wallet that was enabled last, with the options to reconnect it without a prompt. */
export interface PersistedWallet {
  provider: string;
  options: Record<string, unknown>;
}

/** Persists a wallet; null removes it. Does nothing with an async storage: reconnecting must be immediate. */
export function persistWallet(wallet: PersistedWallet | null): void {
  const conn = currentConnection();
  if (conn?.storage.kind !== "sync") return;
  const { area } = conn.storage;
  try {
    if (wallet)
      area.setItem(walletKey(conn), JSON.stringify({ provider: wallet.provider, ...wallet.options }));
    else area.removeItem(walletKey(conn));
  } catch {
    // If the storage is full or blocked, only the reconnection after a reload is lost.
  }
}

export function loadPersistedWallet(): PersistedWallet | undefined {
  const conn = currentConnection();
  if (conn?.storage.kind !== "sync") return undefined;
  const text = conn.storage.area.getItem(walletKey(conn));
  if (text === null) return undefined;
  try {
    const { provider, ...options }: Record<string, unknown> = Object(JSON.parse(text));
    return typeof provider === "string" ? { provider, options } : undefined;
  } catch {
    // The next wallet replaces a damaged record.
    return undefined;
  }
}

/** Calls back when another tab of this browser connects (true) or disconnects (false) a wallet. */
export function onWalletChangeInOtherTabs(listener: (enabled: boolean) => void): void {
  if (typeof window === "undefined" || typeof window.addEventListener !== "function") return;
  window.addEventListener("storage", ({ key, newValue }) => {
    const conn = currentConnection();
    // No key means that the whole storage was cleared.
    if (conn && (key === null || key === walletKey(conn))) listener(newValue !== null);
  });
}

function walletKey({ applicationId }: Connection): string {
  return storageKey(applicationId, "wallet");
}

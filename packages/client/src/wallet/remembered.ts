import { type Connection, currentConnection } from "../connection.ts";
import { storageKey } from "../storage.ts";

/** The wallet that was enabled last, with the options to reconnect it without a prompt. */
export interface RememberedWallet {
  provider: string;
  options: Record<string, unknown>;
}

/** Persists a wallet; null removes it. Does nothing with an async storage: reconnecting must be immediate. */
export function rememberWallet(wallet: RememberedWallet | null): void {
  const from = currentConnection();
  if (from?.storage.kind !== "sync") return;
  const { area } = from.storage;
  try {
    if (wallet) area.setItem(keyOf(from), JSON.stringify({ provider: wallet.provider, ...wallet.options }));
    else area.removeItem(keyOf(from));
  } catch {
    // If the storage is full or blocked, only the reconnection after a reload is lost.
  }
}

export function rememberedWallet(): RememberedWallet | undefined {
  const from = currentConnection();
  if (from?.storage.kind !== "sync") return undefined;
  const text = from.storage.area.getItem(keyOf(from));
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
export function onOtherTabs(listener: (enabled: boolean) => void): void {
  if (typeof window === "undefined" || typeof window.addEventListener !== "function") return;
  window.addEventListener("storage", ({ key, newValue }) => {
    const here = currentConnection();
    // No key means that the whole storage was cleared.
    if (here && (key === null || key === keyOf(here))) listener(newValue !== null);
  });
}

function keyOf({ applicationId }: Connection): string {
  return storageKey(applicationId, "wallet");
}

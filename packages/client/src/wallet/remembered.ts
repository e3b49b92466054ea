import { type Connection, currentConnection } from "../connection.ts";
import { storageKey } from "../storage.ts";

/** The wallet that was enabled last, for the next page: what opens it again without asking. */
export interface RememberedWallet {
  provider: string;
  options: Record<string, unknown>;
}

/** Keeps a wallet, or with null forgets it. Async storages are not used: a wallet is taken up at once or not at all. */
export function rememberWallet(wallet: RememberedWallet | null): void {
  const from = currentConnection();
  if (from?.storage.kind !== "immediate") return;
  const { area } = from.storage;
  try {
    if (wallet) area.setItem(keyOf(from), JSON.stringify({ provider: wallet.provider, ...wallet.options }));
    else area.removeItem(keyOf(from));
  } catch {
    // A storage that is full or shut costs a question after the next reload, not the wallet.
  }
}

export function rememberedWallet(): RememberedWallet | undefined {
  const from = currentConnection();
  if (from?.storage.kind !== "immediate") return undefined;
  const text = from.storage.area.getItem(keyOf(from));
  if (text === null) return undefined;
  try {
    const { provider, ...options }: Record<string, unknown> = Object(JSON.parse(text));
    return typeof provider === "string" ? { provider, options } : undefined;
  } catch {
    // A damaged record is no wallet; the next one takes its place.
    return undefined;
  }
}

/** Tells from now on when another tab of this browser has enabled a wallet (true) or put it away (false). */
export function onOtherTabs(listener: (enabled: boolean) => void): void {
  if (typeof window === "undefined" || typeof window.addEventListener !== "function") return;
  window.addEventListener("storage", ({ key, newValue }) => {
    const here = currentConnection();
    // Without a key all of the storage has been cleared.
    if (here && (key === null || key === keyOf(here))) listener(newValue !== null);
  });
}

function keyOf({ applicationId }: Connection): string {
  return storageKey(applicationId, "wallet");
}

const STORAGE_KEY = "purse/recent-wallet";

/** The wallet that was used last in this browser: its reversed domain, or the name of a connector. */
export function recentWallet(): string | null {
  return localStorage.getItem(STORAGE_KEY);
}

export function rememberWallet(id: string): void {
  localStorage.setItem(STORAGE_KEY, id);
}

const STORAGE_KEY = "purse/recent-wallet";

/** The wallet that was last used in this browser: its RDNS or connector name. */
export function recentWallet(): string | null {
  return localStorage.getItem(STORAGE_KEY);
}

export function rememberWallet(id: string): void {
  localStorage.setItem(STORAGE_KEY, id);
}

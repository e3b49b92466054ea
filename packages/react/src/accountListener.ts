import { type Eip1193Provider, walletEvents, walletState } from "@purse/client";

/**
 * Calls back when the account changes in a wallet: in `window.ethereum`, enabled or not,
 * and in the enabled one. Returns a function that unsubscribes.
 */
export function followAccount(listener: ((account: string | undefined) => void) | undefined): () => void {
  if (!listener || typeof window === "undefined") return () => {};
  const injected: unknown = "ethereum" in window ? window.ethereum : undefined;
  const ethereum = canSubscribe(injected) ? injected : undefined;
  const onAccountsChanged = (accounts: unknown) => {
    const first: unknown = Array.isArray(accounts) ? accounts[0] : undefined;
    listener(typeof first === "string" ? first : undefined);
  };
  ethereum?.on("accountsChanged", onAccountsChanged);
  const stop = walletEvents.on("accountChanged", (account) => {
    const state = walletState();
    // Changes of window.ethereum were reported above.
    if (ethereum && state.status === "enabled" && state.provider === ethereum) return;
    listener(account ?? undefined);
  });
  return () => {
    ethereum?.removeListener?.("accountsChanged", onAccountsChanged);
    stop();
  };
}

type SubscribableProvider = Eip1193Provider & Required<Pick<Eip1193Provider, "on">>;

function canSubscribe(value: unknown): value is SubscribableProvider {
  return typeof value === "object" && value !== null && "on" in value && typeof value.on === "function";
}

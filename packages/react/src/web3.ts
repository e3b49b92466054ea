import {
  deactivateWeb3,
  type Eip1193Provider,
  type EnableOptions,
  enableWeb3,
  type WalletState,
  walletEvents,
  walletState,
} from "@purse/client";
import { useSyncExternalStore } from "react";
import { type Callbacks, withCallbacks } from "./callbacks.ts";
import { Store, useStore } from "./store.ts";

const SERVER_STATE: WalletState = { status: "not enabled" };
const errors = new Store<{ error: unknown }>({ error: null });

/** The state of the one wallet connection of this page. */
export function useWalletState(): WalletState {
  return useSyncExternalStore(subscribe, walletState, () => SERVER_STATE);
}

function subscribe(listener: () => void): () => void {
  return walletEvents.on("state", listener);
}

export function useWeb3Error(): unknown {
  return useStore(errors).error;
}

export function enable(
  options: EnableOptions & Callbacks<Eip1193Provider> = {},
): Promise<Eip1193Provider | undefined> {
  const { onSuccess, onError, onComplete, throwOnError, ...rest } = options;
  return withCallbacks(
    async () => {
      errors.set({ error: null });
      try {
        return await enableWeb3(rest);
      } catch (error) {
        errors.set({ error });
        throw error;
      }
    },
    { onSuccess, onError, onComplete, throwOnError },
  );
}

export function deactivate(): Promise<void> {
  return deactivateWeb3();
}

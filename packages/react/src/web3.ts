import { type EnableOptions, type Moralis, type WalletState, walletEvents, walletState } from "@purse/client";
import { useSyncExternalStore } from "react";
import { type Callbacks, splitCallbacks, withCallbacks } from "./callbacks.ts";
import { type CallError, errorOf } from "./errors.ts";
import { Store } from "./store.ts";

/** What the client answers when a wallet is connected: its provider. */
export type Enabled = Awaited<ReturnType<typeof Moralis.enableWeb3>>;

const SERVER_STATE: WalletState = { status: "not enabled" };

/** The state of the one wallet connection of this page. */
export function useWalletState(): WalletState {
  return useSyncExternalStore(subscribe, walletState, () => SERVER_STATE);
}

function subscribe(listener: () => void): () => void {
  return walletEvents.on("state", listener);
}

/** Connecting a wallet and putting it away, with what went wrong the last time. */
export class Web3 {
  readonly store = new Store<{ error: CallError | null }>({ error: null });
  readonly #core: typeof Moralis;

  constructor(core: typeof Moralis) {
    this.#core = core;
  }

  readonly enable = (options: EnableOptions & Callbacks<Enabled> = {}): Promise<Enabled | undefined> => {
    const [callbacks, rest] = splitCallbacks<Enabled, EnableOptions>(options);
    return withCallbacks(async () => {
      this.store.set({ error: null });
      try {
        return await this.#core.enableWeb3(rest);
      } catch (thrown) {
        const error = errorOf(thrown);
        this.store.set({ error });
        throw error;
      }
    }, callbacks);
  };

  readonly deactivate = (): Promise<void> => this.#core.deactivateWeb3();
}

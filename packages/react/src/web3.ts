import { type EnableOptions, type Moralis, type WalletState, walletEvents, walletState } from "@purse/client";
import { useSyncExternalStore } from "use-sync-external-store/shim";
import { type Callbacks, splitCallbacks, withCallbacks } from "./callbacks.ts";
import { type CallError, errorOf } from "./errors.ts";
import { Store } from "./observableStore.ts";

/** The provider of a connected wallet, as `enableWeb3` returns it. */
export type Enabled = Awaited<ReturnType<typeof Moralis.enableWeb3>>;

const SERVER_STATE: WalletState = { status: "not enabled" };

/** The state of the page's wallet connection. */
export function useWalletState(): WalletState {
  return useSyncExternalStore(subscribe, walletState, () => SERVER_STATE);
}

function subscribe(listener: () => void): () => void {
  return walletEvents.on("state", listener);
}

/** Connects and disconnects the wallet, and keeps the last error. */
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

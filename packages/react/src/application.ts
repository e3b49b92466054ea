import { type Moralis, type PluginSpec, reconnectWallet } from "@purse/client";
import type { Auth } from "./auth.ts";
import { type CallError, errorOf } from "./errors.ts";
import { Store } from "./store.ts";

export interface Target {
  appId?: string | undefined;
  serverUrl?: string | undefined;
}

export interface ApplicationSnapshot {
  appId: string | null;
  serverUrl: string | null;
  isInitialized: boolean;
  isInitializing: boolean;
  /** Why the start failed; null where it did not. */
  initializeError: CallError | null;
}

export interface ApplicationSettings extends Target {
  jsKey?: string | undefined;
  masterKey?: string | undefined;
  plugins?: PluginSpec[] | undefined;
  /** Whether `begin` starts without `initialize`. */
  initializeOnMount: boolean;
}

/** How long pages wait for the wallet of before a reload, so as not to offer it for a moment, in ms. */
const WALLET_MS = 1_000;

/** A wallet that does not answer any more is not an error of the start; one that answers late comes late. */
function walletOfBefore(): Promise<unknown> {
  const late = new Promise((resolve) => setTimeout(resolve, WALLET_MS));
  return Promise.race([reconnectWallet().catch(() => false), late]);
}

/** The client's start below a provider: once, awaited, with the session and wallet of before. */
export class Application {
  readonly store: Store<ApplicationSnapshot>;
  readonly #core: typeof Moralis;
  readonly #auth: Auth;
  readonly #settings: ApplicationSettings;
  #begun = false;
  #turn = 0;
  #settled: Promise<void> | undefined;

  constructor(core: typeof Moralis, auth: Auth, settings: ApplicationSettings) {
    this.#core = core;
    this.#auth = auth;
    this.#settings = settings;
    this.store = new Store<ApplicationSnapshot>({
      appId: settings.appId ?? null,
      serverUrl: settings.serverUrl ?? null,
      isInitialized: false,
      isInitializing: settings.initializeOnMount,
      initializeError: null,
    });
  }

  /** Called when the provider is mounted, which React may do more than once. */
  begin(): void {
    if (this.#begun || !this.#settings.initializeOnMount) return;
    this.#begun = true;
    void this.#start();
  }

  /** Starts, or starts again elsewhere. Throws where application or address are missing. */
  readonly initialize = (given: Target = {}): void => {
    const before = this.store.get();
    const next = { appId: given.appId ?? before.appId, serverUrl: given.serverUrl ?? before.serverUrl };
    for (const name of ["appId", "serverUrl"] as const) {
      if (next[name]) continue;
      throw new Error(
        `No ${name} is provided. Please provide an ${name} to the Moralis.Provider or as argument in initialize()`,
      );
    }
    this.#begun = true;
    this.store.set(next);
    void this.#start();
  };

  /** Resolves once the client is ready or its start has failed. */
  settled(): Promise<void> {
    this.#settled ??= new Promise((resolve) => {
      const look = () => {
        const { isInitialized, initializeError } = this.store.get();
        if (!isInitialized && !initializeError) return;
        this.#settled = undefined;
        stop();
        resolve();
      };
      const stop = this.store.subscribe(look);
    });
    return this.#settled;
  }

  async #start(): Promise<void> {
    this.#turn += 1;
    const mine = this.#turn;
    const end = (outcome: Pick<ApplicationSnapshot, "isInitialized" | "initializeError">) => {
      if (mine === this.#turn) this.store.set({ ...outcome, isInitializing: false });
    };
    this.store.set({ isInitialized: false, isInitializing: true, initializeError: null });
    try {
      const { jsKey: javascriptKey, masterKey, plugins } = this.#settings;
      const { appId, serverUrl } = this.store.get();
      const target = { appId: appId ?? undefined, serverUrl: serverUrl ?? undefined };
      // The session is known before the server has answered, also where it does not.
      await Promise.all([
        this.#core.start({ ...target, javascriptKey, masterKey, plugins }),
        this.#auth.restore(),
      ]);
      await walletOfBefore();
      end({ isInitialized: true, initializeError: null });
    } catch (thrown) {
      end({ isInitialized: false, initializeError: errorOf(thrown) });
    }
  }
}

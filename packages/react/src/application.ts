import { type Moralis, type PluginSpec, reconnectWallet } from "@purse/client";
import type { Auth } from "./auth.ts";
import { type CallError, errorOf } from "./errors.ts";
import { Store } from "./observableStore.ts";

export interface ServerTarget {
  appId?: string | undefined;
  serverUrl?: string | undefined;
}

export interface ApplicationSnapshot {
  appId: string | null;
  serverUrl: string | null;
  isInitialized: boolean;
  isInitializing: boolean;
  /** The error of the start; null unless it failed. */
  initializeError: CallError | null;
}

export interface ApplicationSettings extends ServerTarget {
  jsKey?: string | undefined;
  masterKey?: string | undefined;
  plugins?: PluginSpec[] | undefined;
  /** Whether mounting the provider starts the client. */
  initializeOnMount: boolean;
}

/** How long the start waits for reconnecting the wallet, so that pages do not flash a connect button, in ms. */
const WALLET_TIMEOUT_MS = 1_000;

/** Reconnects the wallet. Failures do not fail the start; a slow wallet connects later. */
function restoreWallet(): Promise<unknown> {
  const timeout = new Promise((resolve) => setTimeout(resolve, WALLET_TIMEOUT_MS));
  return Promise.race([reconnectWallet().catch(() => false), timeout]);
}

/** Starts the client of a provider once, and restores the session and the wallet. */
export class Application {
  readonly store: Store<ApplicationSnapshot>;
  readonly #core: typeof Moralis;
  readonly #auth: Auth;
  readonly #settings: ApplicationSettings;
  #hasStarted = false;
  #runId = 0;
  #ready: Promise<void> | undefined;

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

  /** Called on mount, which React may do more than once. */
  startOnMount(): void {
    if (this.#hasStarted || !this.#settings.initializeOnMount) return;
    this.#hasStarted = true;
    void this.#start();
  }

  /** Starts, or restarts with another server. Throws if application id or URL are missing. */
  readonly initialize = (changes: ServerTarget = {}): void => {
    const before = this.store.get();
    const next = { appId: changes.appId ?? before.appId, serverUrl: changes.serverUrl ?? before.serverUrl };
    for (const name of ["appId", "serverUrl"] as const) {
      if (next[name]) continue;
      throw new Error(
        `No ${name} is provided. Please provide an ${name} to the Moralis.Provider or as argument in initialize()`,
      );
    }
    this.#hasStarted = true;
    this.store.set(next);
    void this.#start();
  };

  /** Resolves once the client is ready or its start has failed. */
  whenReady(): Promise<void> {
    this.#ready ??= new Promise((resolve) => {
      const check = () => {
        const { isInitialized, initializeError } = this.store.get();
        if (!isInitialized && !initializeError) return;
        this.#ready = undefined;
        stop();
        resolve();
      };
      const stop = this.store.subscribe(check);
    });
    return this.#ready;
  }

  async #start(): Promise<void> {
    this.#runId += 1;
    const runId = this.#runId;
    const finish = (result: Pick<ApplicationSnapshot, "isInitialized" | "initializeError">) => {
      if (runId === this.#runId) this.store.set({ ...result, isInitializing: false });
    };
    this.store.set({ isInitialized: false, isInitializing: true, initializeError: null });
    try {
      const { jsKey: javascriptKey, masterKey, plugins } = this.#settings;
      const { appId, serverUrl } = this.store.get();
      const target = { appId: appId ?? undefined, serverUrl: serverUrl ?? undefined };
      // The session is restored without waiting for the server.
      await Promise.all([
        this.#core.start({ ...target, javascriptKey, masterKey, plugins }),
        this.#auth.restore(),
      ]);
      await restoreWallet();
      finish({ isInitialized: true, initializeError: null });
    } catch (thrown) {
      finish({ isInitialized: false, initializeError: errorOf(thrown) });
    }
  }
}

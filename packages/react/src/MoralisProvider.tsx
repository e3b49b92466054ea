import { Moralis, type PluginSpec, shareAcrossTabs } from "@purse/client";
import { createContext, type ReactNode, useEffect, useMemo, useState } from "react";
import { followAccount } from "./accountListener.ts";
import { Application, type ApplicationSnapshot, type ServerTarget } from "./application.ts";
import { Auth } from "./auth.ts";
import { ReactMoralisError } from "./errors.ts";
import { useStore } from "./store.ts";
import { QueryCache } from "./suspense.ts";
import { Web3 } from "./web3.ts";

/** `appId` and `serverUrl` are needed, here or by `initialize`. */
export interface MoralisProviderProps {
  children?: ReactNode;
  /** Read once, when the provider is mounted. */
  appId?: string;
  serverUrl?: string;
  /** False waits for `initialize()`. */
  initializeOnMount?: boolean;
  jsKey?: string;
  dangerouslyUseOfMasterKey?: string;
  /** Instead of asking the server which it has. */
  plugins?: PluginSpec[];
  /** `native` has no wallet in its window. */
  environment?: "browser" | "native";
  /** The client to use, called once; the bundled one by default. */
  getMoralis?: () => typeof Moralis;
  options?: {
    /** As the wallet says it; undefined when it gives no account any more. */
    onAccountChanged?: (account: string | undefined) => void;
  };
}

/** What a provider gives the hooks below it. */
export interface MoralisContextValue extends ApplicationSnapshot {
  Moralis: typeof Moralis;
  environment: "browser" | "native";
  initialize(settings?: ServerTarget): void;
  auth: Auth;
  web3: Web3;
  queries: QueryCache;
  /** Resolves once the client is ready or its start has failed. */
  whenReady(): Promise<void>;
}

/** Where the hooks find their provider. */
export const MoralisContext = createContext<MoralisContextValue | null>(null);

/**
 * Starts the client and gives the hooks below it their ground: authentication, the wallet, the user's data.
 * Throws ReactMoralisError without `appId` or `serverUrl`, unless it waits for `initialize()`.
 */
export function MoralisProvider(props: MoralisProviderProps): ReactNode {
  // The first props count; later ones are ignored, as they always were.
  const [services] = useState(() => createServices(props));
  const snapshot = useStore(services.application.store);

  useEffect(() => {
    services.application.startOnMount();
    const cleanups = [services.auth.subscribe(), shareAcrossTabs(), services.followAccount()];
    return () => {
      for (const cleanup of cleanups) cleanup();
    };
  }, [services]);

  const value = useMemo<MoralisContextValue>(() => {
    const { core, environment, application, auth, web3, queries } = services;
    return {
      Moralis: core,
      environment,
      initialize: application.initialize,
      auth,
      web3,
      queries,
      whenReady: () => application.whenReady(),
      ...snapshot,
    };
  }, [services, snapshot]);
  return <MoralisContext.Provider value={value}>{props.children}</MoralisContext.Provider>;
}

function createServices(props: MoralisProviderProps) {
  const { initializeOnMount = true, environment = "browser", appId, serverUrl, jsKey, plugins } = props;
  if (initializeOnMount && !appId) {
    throw new ReactMoralisError('Provide a "appId" provided to <MoralisProvider>');
  }
  if (initializeOnMount && !serverUrl) {
    throw new ReactMoralisError('Provide a "serverUrl" provided to <MoralisProvider>');
  }
  const core = props.getMoralis?.() ?? Moralis;
  const auth = new Auth(core);
  const masterKey = props.dangerouslyUseOfMasterKey;
  const settings = { appId, serverUrl, jsKey, masterKey, plugins, initializeOnMount };
  const onAccountChanged = props.options?.onAccountChanged;
  return {
    core,
    environment,
    auth,
    application: new Application(core, auth, settings),
    web3: new Web3(core),
    queries: new QueryCache(),
    followAccount: () => followAccount(environment === "browser" ? onAccountChanged : undefined),
  };
}

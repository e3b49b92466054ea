import { Moralis, type PluginSpec, shareAcrossTabs } from "@purse/client";
import {
  createContext,
  createElement,
  type ReactElement,
  type ReactNode,
  useEffect,
  useMemo,
  useState,
} from "react";
import { followAccount } from "./accountListener.ts";
import { Application, type ApplicationSnapshot, type ServerTarget } from "./application.ts";
import { Auth } from "./auth.ts";
import { ReactMoralisError } from "./errors.ts";
import { useStore } from "./observableStore.ts";
import { QueryCache } from "./suspense.ts";
import { Web3 } from "./web3.ts";

/** `appId` and `serverUrl` are required, here or in `initialize`. */
export interface MoralisProviderProps {
  children?: ReactNode;
  /** Read once, when the provider is mounted. */
  appId?: string;
  serverUrl?: string;
  /** False waits for `initialize()`. */
  initializeOnMount?: boolean;
  jsKey?: string;
  dangerouslyUseOfMasterKey?: string;
  /** Replaces the request of the server's plugins. */
  plugins?: PluginSpec[];
  /** `native` has no `window.ethereum`. */
  environment?: "browser" | "native";
  /** Returns the client to use, called once; the bundled one by default. */
  getMoralis?: () => typeof Moralis;
  options?: {
    /** The account as reported by the wallet; undefined when it is locked or disconnected. */
    onAccountChanged?: (account: string | undefined) => void;
  };
}

/** The context of the hooks. */
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

/** The context of the provider. */
export const MoralisContext = createContext<MoralisContextValue | null>(null);

/**
 * Starts the client and provides its hooks with authentication, the wallet and the user's data.
 * Throws ReactMoralisError without `appId` or `serverUrl`, unless it waits for `initialize()`.
 */
export function MoralisProvider(props: MoralisProviderProps): ReactElement {
  // Only the first props are used, as in react-moralis.
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
  return createElement(MoralisContext.Provider, { value }, props.children);
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

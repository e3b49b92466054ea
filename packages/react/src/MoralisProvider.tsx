import {
  Moralis,
  type PluginSpec,
  reconnectWallet,
  initialize as setApplication,
  start,
} from "@purse/client";
import { createContext, type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { Auth } from "./auth.ts";
import { ReactMoralisError } from "./errors.ts";
import { useWalletState } from "./web3.ts";

export interface MoralisProviderProps {
  children?: ReactNode;
  /** Read once, when the provider is mounted. */
  appId?: string;
  serverUrl?: string;
  /** False waits for `initialize()`. */
  initializeOnMount?: boolean;
  jsKey?: string;
  dangerouslyUseOfMasterKey?: string;
  plugins?: PluginSpec[];
  environment?: "browser" | "native";
  getMoralis?: () => typeof Moralis;
  options?: { onAccountChanged?: (account: string | null) => void };
}

export interface MoralisContextValue {
  Moralis: typeof Moralis;
  environment: "browser" | "native";
  appId: string | null;
  serverUrl: string | null;
  isInitialized: boolean;
  isInitializing: boolean;
  /** Why the start failed; null where it did not. */
  initializeError: unknown;
  initialize(settings?: { appId?: string; serverUrl?: string }): void;
  auth: Auth;
}

export const MoralisContext = createContext<MoralisContextValue | null>(null);

/** Starts the client and gives the hooks below it their ground. */
export function MoralisProvider(props: MoralisProviderProps): ReactNode {
  // The first props count; later ones are ignored, as they always were.
  const [settings] = useState(props);
  const { initializeOnMount = true, environment = "browser", getMoralis } = settings;
  const [target, setTarget] = useState({
    appId: settings.appId ?? null,
    serverUrl: settings.serverUrl ?? null,
  });
  const [wanted, setWanted] = useState(initializeOnMount);
  const [phase, setPhase] = useState<{ started: boolean; starting: boolean; error: unknown }>({
    started: false,
    starting: initializeOnMount,
    error: null,
  });
  const [auth] = useState(() => new Auth());

  if (initializeOnMount && !target.appId) {
    throw new ReactMoralisError('Provide a "appId" provided to <MoralisProvider>: appId is required');
  }
  if (initializeOnMount && !target.serverUrl) {
    throw new ReactMoralisError('Provide a "serverUrl" provided to <MoralisProvider>: serverUrl is required');
  }

  useEffect(() => {
    const { appId, serverUrl } = target;
    if (!wanted || !appId || !serverUrl) return;
    let current = true;
    const { jsKey, dangerouslyUseOfMasterKey, plugins } = settings;
    setPhase({ started: false, starting: true, error: null });
    setApplication(appId, jsKey, dangerouslyUseOfMasterKey);
    start({
      appId,
      serverUrl,
      javascriptKey: jsKey,
      masterKey: dangerouslyUseOfMasterKey,
      plugins: plugins ?? [],
    })
      .then(async () => {
        await auth.restore();
        // A wallet that does not answer any more is not an error of the start.
        if (auth.store.get().user) await reconnectWallet().catch(() => false);
        if (current) setPhase({ started: true, starting: false, error: null });
      })
      .catch((error: unknown) => {
        if (current) setPhase({ started: false, starting: false, error });
      });
    return () => {
      current = false;
    };
  }, [wanted, target, settings, auth]);

  useAccountListener(settings.options?.onAccountChanged);

  const initialize = useCallback(
    (given: { appId?: string; serverUrl?: string } = {}) => {
      const next = { appId: given.appId ?? target.appId, serverUrl: given.serverUrl ?? target.serverUrl };
      for (const name of ["appId", "serverUrl"] as const) {
        if (next[name]) continue;
        throw new Error(
          `No ${name} is provided. Please provide an ${name} to the Moralis.Provider or as argument in initialize()`,
        );
      }
      setTarget(next);
      setWanted(true);
    },
    [target],
  );

  const value = useMemo<MoralisContextValue>(
    () => ({
      Moralis: getMoralis?.() ?? Moralis,
      environment,
      ...target,
      isInitialized: phase.started,
      isInitializing: phase.starting,
      initializeError: phase.error,
      initialize,
      auth,
    }),
    [getMoralis, environment, target, phase, initialize, auth],
  );
  return <MoralisContext value={value}>{props.children}</MoralisContext>;
}

function useAccountListener(listener: ((account: string | null) => void) | undefined): void {
  const state = useWalletState();
  const account = state.status === "enabled" ? state.account : null;
  const before = useRef(account);
  useEffect(() => {
    if (before.current !== account) listener?.(account);
    before.current = account;
  }, [account, listener]);
}

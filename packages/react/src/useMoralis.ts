import type { EnableOptions, SigningOptions, User } from "@purse/client";
import { useContext, useMemo } from "react";
import { useSyncExternalStore } from "use-sync-external-store/shim";
import type { Callbacks } from "./callbacks.ts";
import { NoMoralisContextProviderError } from "./errors.ts";
import { MoralisContext, type MoralisContextValue } from "./MoralisProvider.ts";
import { useStore } from "./observableStore.ts";
import { useWalletState } from "./web3.ts";

/** Throws outside a provider. */
export function useMoralisContext(): MoralisContextValue {
  const context = useContext(MoralisContext);
  if (!context) throw new NoMoralisContextProviderError();
  return context;
}

/** The signed-in user, the connected wallet, and the functions that change them. */
export function useMoralis() {
  const context = useMoralisContext();
  const { auth, web3 } = context;
  const { state, error, user, version, isUserUpdating, userError, isLoggingOut, hasSessionEnded } = useStore(
    auth.store,
  );
  const wallet = useWalletState();
  const { error: web3EnableError } = useStore(web3.store);
  const enabled = wallet.status === "enabled" ? wallet : undefined;
  const actions = useMemo(
    () => ({
      authenticate: (options?: EnableOptions & SigningOptions & Callbacks<User>) =>
        auth.authenticate(options),
      signup: auth.signup.bind(auth),
      login: auth.login.bind(auth),
      logout: auth.logout.bind(auth),
      setUserData: auth.setUserData.bind(auth),
      refetchUserData: auth.refetchUserData.bind(auth),
      _setUser: auth.setUser.bind(auth),
      enableWeb3: web3.enable,
      deactivateWeb3: web3.deactivate,
    }),
    [auth, web3],
  );
  return {
    Moralis: context.Moralis,
    environment: context.environment,
    appId: context.appId,
    serverUrl: context.serverUrl,
    isInitialized: context.isInitialized,
    isInitializing: context.isInitializing,
    initializeError: context.initializeError,
    initialize: context.initialize,
    ...actions,
    auth: { state, error },
    isAuthUndefined: state === "undefined",
    isUnauthenticated: state === "unauthenticated",
    isAuthenticated: state === "authenticated" || (state === "error" && user !== null),
    isAuthenticating: state === "authenticating",
    isLoggingOut,
    /** Whether the server has rejected the session since signing in; reset by signing in again. */
    hasSessionEnded,
    hasAuthError: state === "error",
    authError: state === "error" ? error : null,
    user,
    /** Incremented with every change of the user's fields. */
    userVersion: version,
    isUserUpdating,
    userError,
    web3: enabled?.provider ?? null,
    isWeb3Enabled: wallet.status === "enabled",
    isWeb3EnableLoading: wallet.status === "enabling",
    web3EnableError,
    chainId: enabled?.chainId ?? null,
    account: enabled?.account ?? null,
    network: enabled?.connector.network ?? null,
    provider: enabled?.provider ?? null,
    connector: enabled?.connector ?? null,
    connectorType: enabled?.connector.type ?? null,
  };
}

/** The id of the signed-in user; does not rerender for other changes of the user. */
export function useUserId(): string | undefined {
  const { store } = useMoralisContext().auth;
  const get = () => store.get().user?.id;
  return useSyncExternalStore(store.subscribe, get, get);
}

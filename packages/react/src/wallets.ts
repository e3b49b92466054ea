import {
  addNetwork,
  callNode,
  type Eip1193Provider,
  type InjectedWallet,
  injectedWallets,
  switchNetwork,
  type TransactionProgress,
  watchTransaction,
} from "@purse/client";
import { useCallback, useEffect, useState, useSyncExternalStore } from "react";
import { type ChainEntry, getChain } from "./chains.ts";
import { useMoralis } from "./useMoralis.ts";

const UNKNOWN_CHAIN = 4902;
const NO_WALLETS: readonly InjectedWallet[] = [];

/** The wallets that have announced themselves to the page (EIP-6963). */
export function useWallets(): { wallets: readonly InjectedWallet[] } {
  const wallets = useSyncExternalStore(injectedWallets.subscribe, injectedWallets.get, () => NO_WALLETS);
  return { wallets };
}

/** The chain that the wallet is on, and the way to another. */
export function useChain() {
  const { chainId, account, network, provider, connector, connectorType } = useMoralis();
  const chain: ChainEntry | null = (chainId && getChain(chainId)) || null;
  const change = useCallback(async (wanted: string) => {
    try {
      await switchNetwork(wanted);
    } catch (error) {
      if (codeOf(error) !== UNKNOWN_CHAIN) throw error;
      const entry = getChain(wanted);
      const [rpcUrl] = entry?.rpc ?? [];
      if (!entry || rpcUrl === undefined)
        throw new Error(`Chain ${wanted} not supported or is not specified`);
      const { name, symbol } = entry.nativeCurrency;
      await addNetwork(entry.chainId, entry.name, name, symbol, rpcUrl, entry.blockExplorerUrl);
    }
  }, []);
  return { switchNetwork: change, chainId, chain, account, network, provider, connector, connectorType };
}

export interface TransactionState {
  status: TransactionProgress["status"];
  confirmations: number;
  receipt: { transactionHash: string; blockNumber: number; succeeded: boolean } | null;
  error: unknown;
}

const AT_FIRST: TransactionState = { status: "unknown", confirmations: 0, receipt: null, error: null };

/** Follows a transaction by its hash, through the wallet or, without one, through a node. */
export function useTransaction(hash: string, options: { rpcUrl?: string | null } = {}): TransactionState {
  const { provider } = useMoralis();
  const { rpcUrl } = options;
  const [state, setState] = useState(AT_FIRST);
  useEffect(() => {
    const source: Eip1193Provider | null =
      provider ?? (rpcUrl ? { request: ({ method, params }) => callNode(rpcUrl, method, params) } : null);
    if (!source) return;
    return watchTransaction(hash, source, (progress, error) => {
      const receipt = "receipt" in progress ? progress.receipt : null;
      const confirmations = "confirmations" in progress ? progress.confirmations : 0;
      setState({ status: progress.status, confirmations, receipt, error: error ?? null });
    });
  }, [hash, provider, rpcUrl]);
  return state;
}

function codeOf(error: unknown): unknown {
  return typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
}

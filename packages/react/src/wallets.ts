import {
  type EnableOptions,
  type InjectedWallet,
  injectedWallets,
  type Moralis,
  type TransactionReference,
} from "@purse/client";
import { useCallback, useMemo } from "react";
import { useSyncExternalStore } from "use-sync-external-store/shim";
import type { Callbacks } from "./callbacks.ts";
import { type ChainEntry, getChain } from "./chains.ts";
import { contentKey } from "./plainValues.ts";
import { sharedFollow, type TransactionView } from "./sharedTransaction.ts";
import { useMoralis } from "./useMoralis.ts";
import type { Enabled } from "./web3.ts";

const UNKNOWN_CHAIN = 4902;
const NO_WALLETS: readonly InjectedWallet[] = [];

/** The wallets that have announced themselves to the page (EIP-6963), and a function to connect one. */
export function useWallets() {
  const { enableWeb3 } = useMoralis();
  const wallets = useSyncExternalStore(injectedWallets.subscribe, injectedWallets.get, () => NO_WALLETS);
  const connect = useCallback(
    (wallet: InjectedWallet, options: EnableOptions & Callbacks<Enabled> = {}) =>
      enableWeb3({ ...options, provider: "injected", rdns: wallet.rdns, uuid: wallet.uuid }),
    [enableWeb3],
  );
  return { wallets, connect };
}

/** The wallet's chain, and a function to switch it. */
export function useChain() {
  const { Moralis, chainId, account, network, provider, connector, connectorType } = useMoralis();
  const chain: ChainEntry | null = (chainId && getChain(chainId)) || null;
  const switchNetwork = useCallback(
    (targetChainId: string) => switchOrAdd(Moralis, targetChainId),
    [Moralis],
  );
  return {
    switchNetwork: switchNetwork,
    chainId,
    chain,
    account,
    network,
    provider,
    connector,
    connectorType,
  };
}

/** Switches the wallet's chain. Offers to add an unknown chain; the user then switches in the wallet. */
async function switchOrAdd(
  { switchNetwork, addNetwork }: typeof Moralis,
  targetChainId: string,
): Promise<void> {
  try {
    await switchNetwork(targetChainId);
  } catch (error) {
    if (codeOf(error) !== UNKNOWN_CHAIN) throw error;
    const entry = getChain(targetChainId);
    const [rpcUrl] = entry?.rpc ?? [];
    if (!entry || rpcUrl === undefined)
      throw new Error(`Chain ${targetChainId} not supported or is not specified`);
    const { name, symbol } = entry.nativeCurrency;
    await addNetwork(entry.chainId, entry.name, name, symbol, rpcUrl, entry.blockExplorerUrl);
  }
}

/**
 * Follows a transaction, by the wallet or, without one, by a node. A reference with `from` and `nonce`
 * also detects replacements.
 */
export function useTransaction(
  transaction: string | TransactionReference | null | undefined,
  options: { rpcUrl?: string | null } = {},
): TransactionView {
  const { provider } = useMoralis();
  const { rpcUrl } = options;
  const transactionKey = contentKey(transaction ?? null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key represents the reference's content.
  const follow = useMemo(() => {
    const reference = typeof transaction === "string" ? { hash: transaction, chainId: null } : transaction;
    return sharedFollow(reference, provider, rpcUrl);
  }, [transactionKey, provider, rpcUrl]);
  return useSyncExternalStore(follow.subscribe, follow.get, follow.get);
}

function codeOf(error: unknown): unknown {
  return typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
}

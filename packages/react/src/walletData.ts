import { type AccountParams, useAccountData } from "./accountData.ts";
import type { AsyncCallOptions } from "./useAsyncCall.ts";

/*
 * Values, history and approvals of an account: of the connected wallet, unless the parameters name another one. The
 * hooks fetch automatically once a wallet is connected.
 */

/** The native coins and tokens of an account with prices and values, the most valuable first. */
export function useWalletTokens(
  params?: AccountParams<"getWalletTokenBalancesPrice">,
  options?: AsyncCallOptions,
) {
  const { fetch, ...call } = useAccountData("getWalletTokenBalancesPrice", params, options);
  return { fetchWalletTokens: fetch, ...call };
}

/** What an account owns on several chains, in US dollars. */
export function useWalletNetWorth(params?: AccountParams<"getWalletNetWorth">, options?: AsyncCallOptions) {
  const { fetch, ...call } = useAccountData("getWalletNetWorth", params, options);
  return { fetchWalletNetWorth: fetch, ...call };
}

/** What an account did and what happened to it, by transaction. */
export function useWalletHistory(params?: AccountParams<"getWalletHistory">, options?: AsyncCallOptions) {
  const { fetch, ...call } = useAccountData("getWalletHistory", params, options);
  return { fetchWalletHistory: fetch, ...call };
}

/** The open approvals of an account, with what is at risk. */
export function useWalletApprovals(params?: AccountParams<"getWalletApprovals">, options?: AsyncCallOptions) {
  const { fetch, ...call } = useAccountData("getWalletApprovals", params, options);
  return { fetchWalletApprovals: fetch, ...call };
}

/** The numbers of NFTs, transactions and transfers of an account. */
export function useWalletStats(params?: AccountParams<"getWalletStats">, options?: AsyncCallOptions) {
  const { fetch, ...call } = useAccountData("getWalletStats", params, options);
  return { fetchWalletStats: fetch, ...call };
}

/** The first and the last transaction of an account on each chain. */
export function useWalletActiveChains(
  params?: AccountParams<"getWalletActiveChains">,
  options?: AsyncCallOptions,
) {
  const { fetch, ...call } = useAccountData("getWalletActiveChains", params, options);
  return { fetchWalletActiveChains: fetch, ...call };
}

/** The collections of which an account owns NFTs. */
export function useWalletNFTCollections(
  params?: AccountParams<"getWalletNFTCollections">,
  options?: AsyncCallOptions,
) {
  const { fetch, ...call } = useAccountData("getWalletNFTCollections", params, options);
  return { fetchWalletNFTCollections: fetch, ...call };
}

/** The coins that contracts sent to or from an account, and the contracts that they created. */
export function useWalletInternalTransactions(
  params?: AccountParams<"getWalletInternalTransactions">,
  options?: AsyncCallOptions,
) {
  const { fetch, ...call } = useAccountData("getWalletInternalTransactions", params, options);
  return { fetchWalletInternalTransactions: fetch, ...call };
}

/** The transactions of an account that are not in a block yet. */
export function usePendingTransactions(
  params?: AccountParams<"getPendingTransactions">,
  options?: AsyncCallOptions,
) {
  const { fetch, ...call } = useAccountData("getPendingTransactions", params, options);
  return { fetchPendingTransactions: fetch, ...call };
}

import { type AccountApi, type ParamsOf, type ResultOf, useAccountCall } from "./accountData.ts";
import type { AsyncCallOptions } from "./useAsyncCall.ts";
import { useMoralis } from "./useMoralis.ts";

/*
 * Values, history and approvals of an account: of the connected wallet, unless the parameters name another one. The
 * hooks fetch automatically once a wallet is connected.
 */

/** The native coins and tokens of an account with prices and values, the most valuable first. */
export function useWalletTokens(
  params?: ParamsOf<AccountApi["getWalletTokenBalancesPrice"]>,
  options?: AsyncCallOptions,
) {
  const { Moralis } = useMoralis();
  const {
    fetch,
    chain: _,
    ...call
  } = useAccountCall<
    ParamsOf<AccountApi["getWalletTokenBalancesPrice"]>,
    ResultOf<AccountApi["getWalletTokenBalancesPrice"]>
  >(
    (given, signal) => Moralis.Web3API.account.getWalletTokenBalancesPrice(given, signal),
    params,
    options,
    null,
  );
  return { fetchWalletTokens: fetch, ...call };
}

/** What an account owns on several chains, in US dollars. */
export function useWalletNetWorth(
  params?: ParamsOf<AccountApi["getWalletNetWorth"]>,
  options?: AsyncCallOptions,
) {
  const { Moralis } = useMoralis();
  const {
    fetch,
    chain: _,
    ...call
  } = useAccountCall<ParamsOf<AccountApi["getWalletNetWorth"]>, ResultOf<AccountApi["getWalletNetWorth"]>>(
    (given, signal) => Moralis.Web3API.account.getWalletNetWorth(given, signal),
    params,
    options,
    null,
  );
  return { fetchWalletNetWorth: fetch, ...call };
}

/** What an account did and what happened to it, by transaction. */
export function useWalletHistory(
  params?: ParamsOf<AccountApi["getWalletHistory"]>,
  options?: AsyncCallOptions,
) {
  const { Moralis } = useMoralis();
  const {
    fetch,
    chain: _,
    ...call
  } = useAccountCall<ParamsOf<AccountApi["getWalletHistory"]>, ResultOf<AccountApi["getWalletHistory"]>>(
    (given, signal) => Moralis.Web3API.account.getWalletHistory(given, signal),
    params,
    options,
    null,
  );
  return { fetchWalletHistory: fetch, ...call };
}

/** The open approvals of an account, with what is at risk. */
export function useWalletApprovals(
  params?: ParamsOf<AccountApi["getWalletApprovals"]>,
  options?: AsyncCallOptions,
) {
  const { Moralis } = useMoralis();
  const {
    fetch,
    chain: _,
    ...call
  } = useAccountCall<ParamsOf<AccountApi["getWalletApprovals"]>, ResultOf<AccountApi["getWalletApprovals"]>>(
    (given, signal) => Moralis.Web3API.account.getWalletApprovals(given, signal),
    params,
    options,
    null,
  );
  return { fetchWalletApprovals: fetch, ...call };
}

/** The numbers of NFTs, transactions and transfers of an account. */
export function useWalletStats(params?: ParamsOf<AccountApi["getWalletStats"]>, options?: AsyncCallOptions) {
  const { Moralis } = useMoralis();
  const {
    fetch,
    chain: _,
    ...call
  } = useAccountCall<ParamsOf<AccountApi["getWalletStats"]>, ResultOf<AccountApi["getWalletStats"]>>(
    (given, signal) => Moralis.Web3API.account.getWalletStats(given, signal),
    params,
    options,
    null,
  );
  return { fetchWalletStats: fetch, ...call };
}

/** The first and the last transaction of an account on each chain. */
export function useWalletActiveChains(
  params?: ParamsOf<AccountApi["getWalletActiveChains"]>,
  options?: AsyncCallOptions,
) {
  const { Moralis } = useMoralis();
  const {
    fetch,
    chain: _,
    ...call
  } = useAccountCall<
    ParamsOf<AccountApi["getWalletActiveChains"]>,
    ResultOf<AccountApi["getWalletActiveChains"]>
  >((given, signal) => Moralis.Web3API.account.getWalletActiveChains(given, signal), params, options, null);
  return { fetchWalletActiveChains: fetch, ...call };
}

/** The collections of which an account owns NFTs. */
export function useWalletNFTCollections(
  params?: ParamsOf<AccountApi["getWalletNFTCollections"]>,
  options?: AsyncCallOptions,
) {
  const { Moralis } = useMoralis();
  const {
    fetch,
    chain: _,
    ...call
  } = useAccountCall<
    ParamsOf<AccountApi["getWalletNFTCollections"]>,
    ResultOf<AccountApi["getWalletNFTCollections"]>
  >((given, signal) => Moralis.Web3API.account.getWalletNFTCollections(given, signal), params, options, null);
  return { fetchWalletNFTCollections: fetch, ...call };
}

/** The coins that contracts sent to or from an account, and the contracts that they created. */
export function useWalletInternalTransactions(
  params?: ParamsOf<AccountApi["getWalletInternalTransactions"]>,
  options?: AsyncCallOptions,
) {
  const { Moralis } = useMoralis();
  const {
    fetch,
    chain: _,
    ...call
  } = useAccountCall<
    ParamsOf<AccountApi["getWalletInternalTransactions"]>,
    ResultOf<AccountApi["getWalletInternalTransactions"]>
  >(
    (given, signal) => Moralis.Web3API.account.getWalletInternalTransactions(given, signal),
    params,
    options,
    null,
  );
  return { fetchWalletInternalTransactions: fetch, ...call };
}

/** The transactions of an account that are not in a block yet. */
export function usePendingTransactions(
  params?: ParamsOf<AccountApi["getPendingTransactions"]>,
  options?: AsyncCallOptions,
) {
  const { Moralis } = useMoralis();
  const {
    fetch,
    chain: _,
    ...call
  } = useAccountCall<
    ParamsOf<AccountApi["getPendingTransactions"]>,
    ResultOf<AccountApi["getPendingTransactions"]>
  >((given, signal) => Moralis.Web3API.account.getPendingTransactions(given, signal), params, options, null);
  return { fetchPendingTransactions: fetch, ...call };
}

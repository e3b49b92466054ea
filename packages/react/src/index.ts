export {
  type FormattedBalance,
  type NftBalances,
  type NftWithMetadata,
  type TokenPrice,
  useERC20Balances,
  useERC20Transfers,
  useNativeBalance,
  useNativeTransactions,
  useNFTBalances,
  useNFTTransfers,
  useTokenPrice,
} from "./accountData.ts";
export type { AuthState, LoginOptions, UserData } from "./auth.ts";
export { ByMoralis, type ByMoralisProps } from "./ByMoralis.ts";
export type { Callbacks } from "./callbacks.ts";
export { type ChainEntry, getChain, getSupportedChains, resolveIPFS } from "./chains.ts";
export { useMoralisCloudFunction } from "./cloud.ts";
export {
  type ApiContractCall,
  type ContractCall,
  useApiContract,
  useWeb3Contract,
  useWeb3ExecuteFunction,
  useWeb3Transfer,
} from "./contracts.ts";
export { useEnsAddress, useEnsName } from "./ens.ts";
export {
  type CallError,
  NoMoralisContextProviderError,
  NotAuthenticatedError,
  ReactMoralisError,
  ValidationError,
} from "./errors.ts";
export type { Merge, Merges } from "./liveQueryUpdates.ts";
export {
  MoralisContext,
  type MoralisContextValue,
  MoralisProvider,
  type MoralisProviderProps,
} from "./MoralisProvider.ts";
export type { ObjectOf, QueryMap } from "./objectTypes.ts";
export type { PageOptions } from "./pagedQuery.ts";
export { type OwnPasskey, usePasskeys } from "./passkeys.ts";
export * from "./pluginHooks.ts";
export { type NewObject, useMoralisFile, useNewMoralisObject, useUpload } from "./saving.ts";
export { type OwnSession, useSessions } from "./sessions.ts";
export type { TransactionView } from "./sharedTransaction.ts";
export {
  useNFTCollectionStats,
  useNFTRarity,
  useNFTTraits,
  usePairCandlesticks,
  useTokenCandlesticks,
  useTokenHolderHistory,
  useTokenOwners,
  useTokenPrices,
  useTokenSearch,
  useTokenStats,
  useUserOperations,
} from "./tokenData.ts";
export type { SaveFileOptions, UploadState } from "./upload.ts";
export type { AsyncCallOptions, AsyncCallResult, FetchOptions } from "./useAsyncCall.ts";
export {
  type InfiniteQueryOptions,
  type InfiniteQueryResult,
  useInfiniteMoralisQuery,
} from "./useInfiniteMoralisQuery.ts";
export { useMoralis } from "./useMoralis.ts";
export { type QueryOptions, useMoralisQuery } from "./useMoralisQuery.ts";
export { type SubscriptionOptions, useMoralisSubscription } from "./useMoralisSubscription.ts";
export { type SuspenseQueryResult, useSuspenseMoralisQuery } from "./useSuspenseMoralisQuery.ts";
export {
  usePendingTransactions,
  useWalletActiveChains,
  useWalletApprovals,
  useWalletHistory,
  useWalletInternalTransactions,
  useWalletNetWorth,
  useWalletNFTCollections,
  useWalletStats,
  useWalletTokens,
} from "./walletData.ts";
export { useChain, useTransaction, useWallets } from "./wallets.ts";
export {
  useMoralisSolanaApi,
  useMoralisSolanaCall,
  useMoralisWeb3Api,
  useMoralisWeb3ApiCall,
} from "./web3api.ts";

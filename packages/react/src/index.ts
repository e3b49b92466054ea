export type { AuthState } from "./auth.ts";
export type { Callbacks } from "./callbacks.ts";
export {
  useERC20Balances,
  useERC20Transfers,
  useMoralisCloudFunction,
  useMoralisFile,
  useMoralisWeb3Api,
  useMoralisWeb3ApiCall,
  useNativeBalance,
  useNewMoralisObject,
  useWeb3Transfer,
} from "./calls.ts";
export { type ChainEntry, getChain, getSupportedChains, resolveIPFS } from "./chains.ts";
export {
  NoMoralisContextProviderError,
  NotAuthenticatedError,
  ReactMoralisError,
  ValidationError,
} from "./errors.ts";
export { MoralisContext, MoralisProvider, type MoralisProviderProps } from "./MoralisProvider.tsx";
export { useMoralis } from "./useMoralis.ts";
export {
  type QueryOptions,
  type SubscriptionOptions,
  useMoralisQuery,
  useMoralisSubscription,
} from "./useMoralisQuery.ts";
export { type TransactionState, useChain, useTransaction, useWallets } from "./wallets.ts";

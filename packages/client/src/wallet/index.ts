export type { AbiJson } from "./abi.ts";
export {
  AbstractWeb3Connector,
  type Activation,
  type ChainDescription,
  type ConnectorEvents,
} from "./Connector.ts";
export { readContract, type WriteContractParameters, writeContract } from "./contract.ts";
export { type InjectedWallet, injectedWallets } from "./discovery.ts";
export { type Eip1193Provider, ProviderError } from "./eip1193.ts";
export { type CallOptions, executeFunction, type FunctionCall } from "./executeFunction.ts";
export { type FeeTiers, feeTiers, type GasPrice } from "./fees.ts";
export { InjectedWeb3Connector } from "./injected.ts";
export { KeystoreConnector, type KeystoreOptions } from "./keystore.ts";
export { assertCost, decryptKey, encryptKey, type KdfOptions, type KeystoreFile } from "./keystoreFile.ts";
export type { TransactionReference } from "./lookForTransaction.ts";
export type { TransactionLogEntry, TransactionReceipt } from "./receipt.ts";
export { type Revert, RevertError } from "./revert.ts";
export { callNode } from "./rpcProvider.ts";
export { type SendOptions, type SentTransaction, sendTransaction, type TransactionCall } from "./send.ts";
export { type SignableMessage, signMessage, signTypedData, type TypedDataToSign } from "./sign.ts";
export type { SignerExpectation } from "./signer.ts";
export { authenticate, isWeb3Enabled, link, type SigningOptions, unlink } from "./signIn.ts";
export { type BalanceChange, type SimulateOptions, type Simulation, simulate } from "./simulate.ts";
export {
  confirmed,
  type FollowedTransaction,
  type FollowOptions,
  followTransaction,
  TransactionFailedError,
  type TransactionProgress,
  TransactionReplacedError,
  watchTransaction,
} from "./transaction.ts";
export type { ReplacementKind, TransactionState } from "./transactionState.ts";
export { type TransferOptions, transfer, transferCall, type Whole } from "./transfer.ts";
export {
  addNetwork,
  type ConnectorClass,
  deactivateWeb3,
  type EnableOptions,
  enableWeb3,
  reconnectWallet,
  switchNetwork,
  type WalletEvents,
  type WalletState,
  walletEvents,
  walletState,
} from "./wallet.ts";

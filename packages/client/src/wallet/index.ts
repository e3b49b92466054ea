export * as Passkeys from "../user/passkeys.ts";
export type { AbiJson } from "./abi.ts";
export { type AccountKind, accountKind, kindOfCode } from "./accountKind.ts";
export { getActiveAccount } from "./activeAccount.ts";
export {
  AbstractWeb3Connector,
  type Activation,
  type ChainDescription,
  type ConnectorClass,
  type ConnectorEvents,
} from "./Connector.ts";
export { type CustomConnector, connectorNamed, registerConnector } from "./connectors.ts";
export { readContract, type WriteContractParameters, writeContract } from "./contract.ts";
export {
  type InjectedWallet,
  injectedWallets,
  isMetaMaskInstalled,
} from "./discovery.ts";
export { type Eip1193Provider, ProviderError } from "./eip1193.ts";
export { type CallOptions, executeFunction, type FunctionCall } from "./executeFunction.ts";
export { type FeeTiers, feeTiers, type GasPrice } from "./fees.ts";
export { InjectedWeb3Connector } from "./injected.ts";
export { KeystoreConnector, type KeystoreOptions } from "./keystore.ts";
export { assertCost, decryptKey, encryptKey, type KdfOptions, type KeystoreFile } from "./keystoreFile.ts";
export { registerWalletLibrary, type WalletLibrary } from "./libraries.ts";
export { type MagicLinkOptions, MagicWeb3Connector } from "./magicLink.ts";
export { type NetworkOptions, NetworkWeb3Connector } from "./nodeConnector.ts";
export type { CallsReceipt, TransactionLogEntry, TransactionReceipt } from "./receipt.ts";
export { decodeRevert, type Revert, RevertError } from "./revert.ts";
export { callNode } from "./rpcProvider.ts";
export type { SdkLoader } from "./sdk.ts";
export { type SendOptions, type SentTransaction, sendTransaction, type TransactionCall } from "./send.ts";
export { type SignableMessage, signMessage, signTypedData, type TypedDataToSign } from "./sign.ts";
export type { SignerExpectation } from "./signer.ts";
export {
  authenticate,
  getSigningData,
  link,
  type SigningOptions,
  unlink,
} from "./signIn.ts";
export {
  type BalanceChange,
  type SimulateOptions,
  type Simulation,
  simulate,
  simulateCalls,
} from "./simulate.ts";
export { type SolanaWallet, solanaWallets, watchSolanaWallets } from "./solanaWallets.ts";
export { cancelTransaction, speedUpTransaction } from "./speedUpCancel.ts";
export { addNetwork, type SwitchOptions, switchNetwork } from "./switchNetwork.ts";
export type { WaitOptions } from "./timeouts.ts";
export {
  type FollowedTransaction,
  type FollowOptions,
  followTransaction,
  TransactionFailedError,
  type TransactionProgress,
  TransactionReplacedError,
  waitForConfirmations,
  watchTransaction,
} from "./transaction.ts";
export type { TransactionReference } from "./transactionReference.ts";
export type { ReplacementKind, TransactionState } from "./transactionState.ts";
export {
  type IntegerLike,
  type TransferOptions,
  transfer,
  transferCall,
} from "./transfer.ts";
export {
  deactivateWeb3,
  type EnabledWallet,
  type EnableOptions,
  enabledWallet,
  enableWeb3,
  isWeb3Enabled,
  reconnectWallet,
  type WalletEvents,
  type WalletState,
  walletEvents,
  walletState,
} from "./wallet.ts";
export {
  type CallsStatus,
  type CallsStatusOptions,
  callsStatus,
  isBatchRefused,
  type SendCallsOptions,
  type SentCalls,
  sendCalls,
  type WaitForCallsOptions,
  type WalletCapabilities,
  waitForCalls,
  walletCapabilities,
} from "./walletCalls.ts";
export { type WalletConnectOptions, WalletConnectWeb3Connector } from "./walletConnect.ts";
export { Web3AuthConnector, type Web3AuthOptions } from "./web3Auth.ts";

export {
  AbstractWeb3Connector,
  type Activation,
  type ChainDescription,
  type ConnectorEvents,
} from "./Connector.ts";
export { type InjectedWallet, injectedWallets } from "./discovery.ts";
export { type Eip1193Provider, ProviderError } from "./eip1193.ts";
export { InjectedWeb3Connector } from "./injected.ts";
export { KeystoreConnector, type KeystoreOptions } from "./keystore.ts";
export { assertCost, decryptKey, encryptKey, type KdfOptions, type KeystoreFile } from "./keystoreFile.ts";
export { callNode } from "./rpcProvider.ts";
export { authenticate, isWeb3Enabled, link, type SigningOptions, unlink } from "./signIn.ts";
export {
  type TransactionProgress,
  type TransactionReceipt,
  watchTransaction,
} from "./transaction.ts";
export { type SentTransaction, type TransferOptions, transfer } from "./transfer.ts";
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

export { askedWallet } from "./askedWallet.ts";
export {
  AbstractWeb3Connector,
  type Activation,
  type ChainDescription,
  type ConnectorClass,
  type ConnectorEvents,
} from "./Connector.ts";
export { type CustomConnector, connectorNamed } from "./connectors.ts";
export { type InjectedWallet, injectedWallets, isMetaMaskInstalled } from "./discovery.ts";
export { type Eip1193Provider, ProviderError } from "./eip1193.ts";
export { InjectedWeb3Connector } from "./injected.ts";
export { KeystoreConnector, type KeystoreOptions } from "./keystore.ts";
export { assertCost, decryptKey, encryptKey, type KdfOptions, type KeystoreFile } from "./keystoreFile.ts";
export { type MagicLinkOptions, MagicWeb3Connector } from "./magicLink.ts";
export { type NetworkOptions, NetworkWeb3Connector } from "./network.ts";
export { addNetwork, type SwitchOptions, switchNetwork } from "./networks.ts";
export { callNode } from "./rpcProvider.ts";
export type { SdkLoader } from "./sdk.ts";
export { authenticate, getSigningData, link, type SigningOptions, unlink } from "./signIn.ts";
export {
  type TransactionProgress,
  type TransactionReceipt,
  watchTransaction,
} from "./transaction.ts";
export { type SentTransaction, type TransferOptions, transfer } from "./transfer.ts";
export type { WaitOptions } from "./waiting.ts";
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
export { type WalletConnectOptions, WalletConnectWeb3Connector } from "./walletConnect.ts";
export { Web3AuthConnector, type Web3AuthOptions } from "./web3Auth.ts";

import type { AbstractWeb3Connector, ConnectorClass } from "./Connector.ts";
import { InjectedWeb3Connector } from "./injected.ts";

/** A custom connector: a class, whose constructor gets the options, or an instance. */
export type CustomConnector = ConnectorClass | AbstractWeb3Connector;

type ConnectorLoader = () => Promise<ConnectorClass>;

const walletConnect: ConnectorLoader = async () =>
  (await import("./walletConnect.ts")).WalletConnectWeb3Connector;
const magicLink: ConnectorLoader = async () => (await import("./magicLink.ts")).MagicWeb3Connector;
const web3Auth: ConnectorLoader = async () => (await import("./web3Auth.ts")).Web3AuthConnector;

/** The connectors by all their names, including their `type`. Each is loaded on demand. */
const BY_NAME = new Map<string, ConnectorLoader>([
  ["walletconnect", walletConnect],
  ["walletConnect", walletConnect],
  ["WalletConnect", walletConnect],
  ["wc", walletConnect],
  ["magicLink", magicLink],
  ["MagicLink", magicLink],
  ["web3Auth", web3Auth],
  ["network", async () => (await import("./nodeConnector.ts")).NetworkWeb3Connector],
  ["keystore", async () => (await import("./keystore.ts")).KeystoreConnector],
]);

/**
 * Registers a custom connector by a name, which must be its `type`: `enableWeb3({ provider: name })`
 * connects it. If it implements `persistedOptions` and `isAuthorized`, `reconnectWallet` reconnects it after a reload.
 */
export function registerConnector(name: string, load: () => Promise<ConnectorClass>): void {
  BY_NAME.set(name, load);
}

/** Returns the connector class of a name; other names, and none, select the browser's wallet. */
export async function connectorNamed(name: string | undefined): Promise<ConnectorClass> {
  return (await BY_NAME.get(name ?? "")?.()) ?? InjectedWeb3Connector;
}

import type { AbstractWeb3Connector, ConnectorClass } from "./Connector.ts";
import { InjectedWeb3Connector } from "./injected.ts";

/** A connector as applications give their own: a class, which is given the options, or an instance. */
export type CustomConnector = ConnectorClass | AbstractWeb3Connector;

type Load = () => Promise<ConnectorClass>;

const walletConnect: Load = async () => (await import("./walletConnect.ts")).WalletConnectWeb3Connector;
const magicLink: Load = async () => (await import("./magicLink.ts")).MagicWeb3Connector;
const web3Auth: Load = async () => (await import("./web3Auth.ts")).Web3AuthConnector;

/** Under every name that they have had, those of their `type` among them. Each is loaded when it is wanted. */
const BY_NAME = new Map<string, Load>([
  ["walletconnect", walletConnect],
  ["walletConnect", walletConnect],
  ["WalletConnect", walletConnect],
  ["wc", walletConnect],
  ["magicLink", magicLink],
  ["MagicLink", magicLink],
  ["web3Auth", web3Auth],
  ["network", async () => (await import("./network.ts")).NetworkWeb3Connector],
  ["keystore", async () => (await import("./keystore.ts")).KeystoreConnector],
]);

/**
 * Makes a connector of the application's own known by a name, which has to be its `type`: `enableWeb3({ provider: name })`
 * opens it, and where it implements `kept` and `authorized`, `reconnectWallet` opens it again after a reload.
 */
export function registerConnector(name: string, load: () => Promise<ConnectorClass>): void {
  BY_NAME.set(name, load);
}

/** The connector of a provider's name; any other name, and none, is the browser's own wallet. */
export async function connectorNamed(name: string | undefined): Promise<ConnectorClass> {
  return (await BY_NAME.get(name ?? "")?.()) ?? InjectedWeb3Connector;
}

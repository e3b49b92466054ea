import { AbstractWeb3Connector, type Activation, type ConnectorClass } from "./Connector.ts";
import { connectorNamed } from "./connectors.ts";
import { InjectedWeb3Connector } from "./injected.ts";

/** The `type` of the connectors that load on demand, by their names. */
const TYPES: Readonly<Record<string, string>> = {
  walletconnect: "WalletConnect",
  walletConnect: "WalletConnect",
  wc: "WalletConnect",
  network: "network",
  magicLink: "MagicLink",
  web3Auth: "web3Auth",
};

/**
 * The connector class of a provider's name, synchronously, as legacy code extends it; its code loads when it is
 * activated. Other names, and none, select the browser's wallet.
 */
export function getWeb3Connector(provider = ""): ConnectorClass {
  const type = TYPES[provider];
  return type === undefined ? InjectedWeb3Connector : loadedOnDemand(provider, type);
}

function loadedOnDemand(name: string, type: string): ConnectorClass {
  return class extends AbstractWeb3Connector {
    override type = type;
    #loaded: AbstractWeb3Connector | undefined;

    override async activate(options?: object): Promise<Activation> {
      this.#loaded = new (await connectorNamed(name))();
      const { provider, account, chainId } = await this.#loaded.activate(options);
      return this.completeActivation(provider, account === null ? [] : [account], chainId);
    }

    override async deactivate(): Promise<void> {
      const loaded = this.#loaded;
      this.#loaded = undefined;
      await super.deactivate();
      await loaded?.deactivate();
    }
  };
}

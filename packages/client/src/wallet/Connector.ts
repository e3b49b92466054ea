import { type Eip1193Provider, firstAccount, hexChainId } from "./eip1193.ts";
import { Emitter } from "./emitter.ts";

export interface Activation {
  provider: Eip1193Provider;
  /** Hex. */
  chainId: string | null;
  /** Lower-case hex. */
  account: string | null;
}

export interface ConnectorEvents {
  connect: [info: { chainId?: string }];
  disconnect: [error: unknown];
  /** Hex. */
  chainChanged: [chainId: string];
  /** Lower-case hex; null when the wallet gives none any more. */
  accountChanged: [account: string | null];
}

/** A currency and the places of a chain, for wallets that do not know it yet (EIP-3085). */
export interface ChainDescription {
  /** Hex. */
  chainId: string;
  chainName: string;
  currencyName: string;
  currencySymbol: string;
  rpcUrl: string;
  blockExplorerUrl?: string | undefined;
}

/** A way to a wallet. Old applications extend it for wallets of their own. */
export abstract class AbstractWeb3Connector {
  type = "abstract";
  network = "evm";
  /** Lower-case hex. */
  account: string | null = null;
  /** Hex. */
  chainId: string | null = null;
  protected provider: Eip1193Provider | null = null;
  readonly #events = new Emitter<ConnectorEvents>();
  #detach: (() => void) | undefined;

  /** Opens the wallet and answers what it gives. */
  abstract activate(options?: object): Promise<Activation>;

  on<E extends keyof ConnectorEvents>(event: E, listener: (...args: ConnectorEvents[E]) => void): () => void {
    return this.#events.on(event, listener);
  }

  /** Stops listening to the wallet and forgets what it gave. */
  async deactivate(): Promise<void> {
    this.#detach?.();
    this.#detach = undefined;
    this.account = null;
    this.chainId = null;
    this.provider = null;
  }

  /** Follows a provider's own events; what it held before is let go. */
  protected subscribeToEvents(provider: Eip1193Provider): void {
    this.#detach?.();
    const accountsChanged = (accounts: unknown) => {
      this.account = firstAccount(accounts);
      this.#events.emit("accountChanged", this.account);
    };
    const chainChanged = (chainId: unknown) => {
      const hex = hexChainId(chainId);
      if (hex === null) return;
      this.chainId = hex;
      this.#events.emit("chainChanged", hex);
    };
    const connect = (info: { chainId?: string } | undefined) => {
      const hex = hexChainId(info?.chainId);
      if (hex !== null) this.chainId = hex;
      this.#events.emit("connect", hex === null ? {} : { chainId: hex });
    };
    const disconnect = (error: unknown) => {
      this.account = null;
      this.chainId = null;
      this.#events.emit("disconnect", error);
    };
    const listeners = { accountsChanged, chainChanged, connect, disconnect };
    for (const [event, listener] of Object.entries(listeners)) provider.on?.(event, listener);
    this.#detach = () => {
      for (const [event, listener] of Object.entries(listeners)) provider.removeListener?.(event, listener);
    };
  }
}

/** What connectors may offer beyond that. */
export interface ChainSwitching {
  switchNetwork(chainId: string | number): Promise<void>;
  addNetwork(chain: ChainDescription): Promise<void>;
}

export function canSwitchChains(connector: object): connector is ChainSwitching {
  return "switchNetwork" in connector && typeof connector.switchNetwork === "function";
}

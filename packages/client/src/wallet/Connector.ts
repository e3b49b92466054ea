import { Emitter } from "../emitter.ts";
import {
  type Eip1193Provider,
  firstAccount,
  hexChainId,
  isTemporaryDisconnect,
  ProviderError,
  requireChainId,
} from "./eip1193.ts";

/** The result of activating a connector. */
export interface Activation {
  provider: Eip1193Provider;
  /** Hex. */
  chainId: string | null;
  /** Lowercase hex. */
  account: string | null;
}

/** The events of a connector. */
export interface ConnectorEvents {
  connect: [info: { chainId?: string }];
  disconnect: [error: unknown];
  /** Hex. */
  chainChanged: [chainId: string];
  /** Lowercase hex; null when the wallet is locked or disconnected. */
  accountChanged: [account: string | null];
}

/** The currency and URLs of a chain, for wallets that do not know it yet (EIP-3085). */
export interface ChainDescription {
  /** Hex. */
  chainId: string;
  chainName: string;
  currencyName: string;
  currencySymbol: string;
  rpcUrl: string;
  blockExplorerUrl?: string | undefined;
}

/**
 * A connector to a wallet. Applications extend it for custom wallets: `activate` and `deactivate` are enough. The
 * `handle…` methods handle the provider's events; they may be overridden, and are bound to the connector.
 */
export abstract class AbstractWeb3Connector {
  type = "abstract";
  network = "evm";
  /** Lowercase hex. */
  account: string | null = null;
  /** Hex. */
  chainId: string | null = null;
  protected provider: Eip1193Provider | null = null;
  readonly #events = new Emitter<ConnectorEvents>();
  #detach: (() => void) | undefined;

  constructor() {
    this.handleAccountsChanged = this.handleAccountsChanged.bind(this);
    this.handleChainChanged = this.handleChainChanged.bind(this);
    this.handleConnect = this.handleConnect.bind(this);
    this.handleDisconnect = this.handleDisconnect.bind(this);
  }

  /** Connects the wallet. `options` are those of `enableWeb3`. */
  async activate(_options?: object): Promise<Activation> {
    throw new Error("Not implemented: activate()");
  }

  /** Whether `activate` with these options needs no user approval, as after a reload. */
  async isAuthorized(_options?: object): Promise<boolean> {
    return false;
  }

  /** The options for a later `isAuthorized` and `activate`, as JSON without secrets; undefined to persist nothing. */
  persistedOptions(_options?: object): Record<string, unknown> | undefined {
    return undefined;
  }

  /** Whether another `activate` with these options resumes the existing session. */
  canResume(_options?: object): boolean {
    return false;
  }

  on<E extends keyof ConnectorEvents>(event: E, listener: (...args: ConnectorEvents[E]) => void): () => void {
    return this.#events.on(event, listener);
  }

  off<E extends keyof ConnectorEvents>(event: E, listener: (...args: ConnectorEvents[E]) => void): void {
    this.#events.off(event, listener);
  }

  /** Emits an event. Not needed for providers that are passed to `subscribeToEvents`. */
  emit<E extends keyof ConnectorEvents>(event: E, ...args: ConnectorEvents[E]): void {
    this.#events.emit(event, ...args);
  }

  /** Unsubscribes from the wallet and clears account, chain and provider. */
  async deactivate(): Promise<void> {
    this.unsubscribeToEvents();
    this.account = null;
    this.chainId = null;
    this.provider = null;
  }

  /** Stores the wallet's account and chain, and subscribes to its events. */
  protected completeActivation(provider: Eip1193Provider, accounts: unknown, chainId: unknown): Activation {
    this.provider = provider;
    this.account = firstAccount(accounts);
    this.chainId = hexChainId(chainId);
    this.subscribeToEvents(provider);
    return { provider, account: this.account, chainId: this.chainId };
  }

  /** Subscribes to a provider's events; unsubscribes from the previous provider. */
  protected subscribeToEvents(provider: Eip1193Provider): void {
    this.unsubscribeToEvents();
    const listeners = {
      accountsChanged: this.handleAccountsChanged,
      chainChanged: this.handleChainChanged,
      connect: this.handleConnect,
      disconnect: this.handleDisconnect,
    };
    for (const [event, listener] of Object.entries(listeners)) provider.on?.(event, listener);
    this.#detach = () => {
      for (const [event, listener] of Object.entries(listeners)) provider.removeListener?.(event, listener);
    };
  }

  handleAccountsChanged(accounts: unknown): void {
    this.account = firstAccount(accounts);
    this.emit("accountChanged", this.account);
  }

  handleChainChanged(chainId: unknown): void {
    const hex = hexChainId(chainId);
    if (hex === null) return;
    this.chainId = hex;
    this.emit("chainChanged", hex);
  }

  handleConnect(info?: { chainId?: unknown }): void {
    const hex = hexChainId(info?.chainId);
    if (hex !== null) this.chainId = hex;
    this.emit("connect", hex === null ? {} : { chainId: hex });
  }

  /** Ignores temporary disconnects during a change of chains. */
  handleDisconnect(error: unknown): void {
    if (isTemporaryDisconnect(error)) return;
    this.account = null;
    this.chainId = null;
    this.emit("disconnect", error);
  }

  protected unsubscribeToEvents(_provider?: Eip1193Provider | null): void {
    this.#detach?.();
    this.#detach = undefined;
  }
}

/** A connector class. Its constructor gets the options of `enableWeb3`. */
export type ConnectorClass = new (options?: object) => AbstractWeb3Connector;

/** Optional methods of connectors. */
export interface ChainSwitching {
  switchNetwork(chainId: string | number): Promise<void>;
  addNetwork(chain: ChainDescription): Promise<void>;
}

type OptionalMethod = keyof ChainSwitching;

export function supports<K extends OptionalMethod>(
  connector: object,
  name: K,
): connector is Pick<ChainSwitching, K> {
  return name in connector && typeof Reflect.get(connector, name) === "function";
}

const UNKNOWN_CHAIN = 4902;

/** A connector of a wallet that can change its chain. */
export abstract class ChainSwitchingConnector extends AbstractWeb3Connector implements ChainSwitching {
  /**
   * Requests a switch of chains (EIP-3326); does nothing if the wallet is already on the chain. Rejects with 4902 if the
   * wallet does not know the chain.
   */
  async switchNetwork(chain: string | number): Promise<void> {
    const chainId = requireChainId(chain);
    if (chainId === this.chainId) return;
    try {
      await this.provider?.request({ method: "wallet_switchEthereumChain", params: [{ chainId }] });
    } catch (error) {
      // Mobile wallets wrap it in an error of their own.
      if (wrappedCode(error) !== UNKNOWN_CHAIN) throw error;
      throw new ProviderError(UNKNOWN_CHAIN, `The wallet does not know the chain ${chainId}`);
    }
  }

  /** Requests to add a chain (EIP-3085). Currencies of EVM chains have 18 decimals. */
  async addNetwork(chain: ChainDescription): Promise<void> {
    const { chainId, chainName, currencyName, currencySymbol, rpcUrl, blockExplorerUrl } = chain;
    await this.provider?.request({
      method: "wallet_addEthereumChain",
      params: [
        {
          chainId: hexChainId(chainId),
          chainName,
          nativeCurrency: { name: currencyName, symbol: currencySymbol, decimals: 18 },
          rpcUrls: [rpcUrl],
          blockExplorerUrls: blockExplorerUrl ? [blockExplorerUrl] : null,
        },
      ],
    });
  }
}

function wrappedCode(error: unknown): unknown {
  const { data } = Object(error);
  return Object(Object(data).originalError).code;
}

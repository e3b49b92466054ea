import { Emitter } from "../emitter.ts";
import {
  type Eip1193Provider,
  firstAccount,
  hexChainId,
  isPassingDisconnect,
  ProviderError,
} from "./eip1193.ts";

/** What a connector answers once its wallet is open. */
export interface Activation {
  provider: Eip1193Provider;
  /** Hex. */
  chainId: string | null;
  /** Lower-case hex. */
  account: string | null;
}

/** What a connector tells, by event. */
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

/**
 * A way to a wallet. Applications extend it for wallets of their own: `activate` and `deactivate` are enough. The
 * `handle…` methods follow a provider's events of those names; they may be overridden, and are bound to the connector.
 */
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

  constructor() {
    this.handleAccountsChanged = this.handleAccountsChanged.bind(this);
    this.handleChainChanged = this.handleChainChanged.bind(this);
    this.handleConnect = this.handleConnect.bind(this);
    this.handleDisconnect = this.handleDisconnect.bind(this);
  }

  /** Opens the wallet and answers what it gives. `options` are those of `enableWeb3`. */
  async activate(_options?: object): Promise<Activation> {
    throw new Error("Not implemented: activate()");
  }

  /** Whether `activate` with these options would ask the person nothing, as after a reload. */
  async authorized(_options?: object): Promise<boolean> {
    return false;
  }

  /** What a later `authorized` and `activate` need, as JSON without secrets; undefined where nothing is to be kept. */
  kept(_options?: object): Record<string, unknown> | undefined {
    return undefined;
  }

  /** Whether a second `activate` with these options goes on with the session that is there. */
  resumes(_options?: object): boolean {
    return false;
  }

  on<E extends keyof ConnectorEvents>(event: E, listener: (...args: ConnectorEvents[E]) => void): () => void {
    return this.#events.on(event, listener);
  }

  off<E extends keyof ConnectorEvents>(event: E, listener: (...args: ConnectorEvents[E]) => void): void {
    this.#events.off(event, listener);
  }

  /** Tells the wallet connection what has happened. Providers that `subscribeToEvents` follows need no help. */
  emit<E extends keyof ConnectorEvents>(event: E, ...args: ConnectorEvents[E]): void {
    this.#events.emit(event, ...args);
  }

  /** Stops listening to the wallet and forgets what it gave. */
  async deactivate(): Promise<void> {
    this.unsubscribeToEvents();
    this.account = null;
    this.chainId = null;
    this.provider = null;
  }

  /** Keeps what the wallet gave and follows it from here on. */
  protected activated(provider: Eip1193Provider, accounts: unknown, chainId: unknown): Activation {
    this.provider = provider;
    this.account = firstAccount(accounts);
    this.chainId = hexChainId(chainId);
    this.subscribeToEvents(provider);
    return { provider, account: this.account, chainId: this.chainId };
  }

  /** Follows a provider's own events; what it held before is let go. */
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

  /** What a wallet tells while it only looks for another way to the same chain is not the end. */
  handleDisconnect(error: unknown): void {
    if (isPassingDisconnect(error)) return;
    this.account = null;
    this.chainId = null;
    this.emit("disconnect", error);
  }

  protected unsubscribeToEvents(_provider?: Eip1193Provider | null): void {
    this.#detach?.();
    this.#detach = undefined;
  }
}

/** A class of connectors, as old applications pass it. It is given the options of `enableWeb3`. */
export type ConnectorClass = new (options?: object) => AbstractWeb3Connector;

/** What connectors may offer beyond that. */
export interface ChainSwitching {
  switchNetwork(chainId: string | number): Promise<void>;
  addNetwork(chain: ChainDescription): Promise<void>;
}

type Offer = keyof ChainSwitching;

export function offers<K extends Offer>(connector: object, name: K): connector is Pick<ChainSwitching, K> {
  return name in connector && typeof Reflect.get(connector, name) === "function";
}

const UNKNOWN_CHAIN = 4902;

/** Asks a wallet to switch (EIP-3326). Rejects with 4902 where the wallet does not know the chain. */
export async function requestSwitch(provider: Eip1193Provider, chainId: string): Promise<void> {
  try {
    await provider.request({ method: "wallet_switchEthereumChain", params: [{ chainId }] });
  } catch (error) {
    // Wallets on telephones wrap it in an error of their own.
    if (wrappedCode(error) !== UNKNOWN_CHAIN) throw error;
    throw new ProviderError(UNKNOWN_CHAIN, `The wallet does not know the chain ${chainId}`);
  }
}

/** Asks a wallet to add a chain (EIP-3085). Currencies of EVM chains have 18 decimals. */
export async function requestAdding(provider: Eip1193Provider, chain: ChainDescription): Promise<void> {
  const { chainId, chainName, currencyName, currencySymbol, rpcUrl, blockExplorerUrl } = chain;
  await provider.request({
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

function wrappedCode(error: unknown): unknown {
  const { data } = Object(error);
  return Object(Object(data).originalError).code;
}

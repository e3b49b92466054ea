import { connection } from "../connection.ts";
import { beforeLogOut } from "../user/User.ts";
import { setConnectedAccount } from "../web3api/web3api.ts";
import { type AbstractWeb3Connector, type ChainDescription, canSwitchChains } from "./Connector.ts";
import type { Eip1193Provider } from "./eip1193.ts";
import { Emitter } from "./emitter.ts";
import { givesAccount, InjectedWeb3Connector } from "./injected.ts";
import { KeystoreConnector } from "./keystore.ts";

/** A class of connectors, as old applications pass it. */
export type ConnectorClass = new () => AbstractWeb3Connector;

export interface EnableOptions {
  /** `keystore`, or anything else for the browser's own wallet. */
  provider?: string | undefined;
  /** A connector class of the application's own. */
  connector?: ConnectorClass | undefined;
  /** Of a wallet that has announced itself (EIP-6963): its `rdns`. */
  rdns?: string | undefined;
  /** Stops waiting for the wallet. */
  signal?: AbortSignal | undefined;
  /** How long to wait for the wallet, in ms. */
  timeoutMs?: number | undefined;
  /** What the connector takes beside that. */
  [option: string]: unknown;
}

/** The wallet connection. */
export type WalletState =
  | { status: "not enabled" }
  | { status: "enabling" }
  | {
      status: "enabled";
      connector: AbstractWeb3Connector;
      provider: Eip1193Provider;
      account: string | null;
      chainId: string | null;
    }
  | { status: "deactivated" };

export interface WalletEvents {
  web3Enabled: [
    info: {
      chainId: string | null;
      account: string | null;
      connector: AbstractWeb3Connector;
      provider: Eip1193Provider;
      web3: Eip1193Provider;
    },
  ];
  web3Deactivated: [info: { connector: AbstractWeb3Connector; provider: Eip1193Provider }];
  /** Hex. */
  chainChanged: [chainId: string];
  /** Lower-case hex, or null. */
  accountChanged: [account: string | null];
  "provider-connect": [info: { chainId?: string }];
  "provider-disconnect": [error: unknown];
  /** After every change of the state above. */
  state: [state: WalletState];
}

const DEFAULT_TIMEOUT_MS = 5 * 60_000;
/** What MetaMask says while it changes chains by itself: the connection goes on. */
const PASSING_DISCONNECT = "MetaMask: Disconnected from chain. Attempting to connect.";
const ALREADY_ENABLING =
  "Cannot execute Moralis.enableWeb3(), as Moralis Moralis.enableWeb3() already has been called, but is not finished yet ";
const MISSING = "Missing web3 instance, make sure to call Moralis.enableWeb3() or Moralis.authenticate()";

const events = new Emitter<WalletEvents>();
let state: WalletState = { status: "not enabled" };
let letGo: (() => void) | undefined;

export const walletEvents = events;

export function walletState(): WalletState {
  return state;
}

/** The enabled wallet. Throws where there is none. */
export function enabledWallet(): Extract<WalletState, { status: "enabled" }> {
  if (state.status !== "enabled") throw new Error(MISSING);
  return state;
}

/**
 * Connects a wallet and answers its provider. Rejects while another call is in progress, when the
 * wallet refuses, and after the deadline; the state is then what it was without a wallet.
 */
export async function enableWeb3(options: EnableOptions = {}): Promise<Eip1193Provider> {
  if (state.status === "enabling") throw new Error(ALREADY_ENABLING);
  if (state.status === "enabled") release();
  setState({ status: "enabling" });
  try {
    const connector = connectorFor(options);
    const given = await answered(connector.activate(options), options);
    if (!given.provider) throw new Error("Failed to activate, no provider returned");
    const account = given.account?.toLowerCase() ?? null;
    const { provider, chainId } = given;
    follow(connector);
    setState({ status: "enabled", connector, provider, account, chainId });
    events.emit("web3Enabled", { chainId, account, connector, provider, web3: provider });
    remember(connector.type, options);
    return provider;
  } catch (error) {
    // Somebody may have put the wallet away meanwhile.
    if (walletState().status === "enabling") setState({ status: "not enabled" });
    throw error;
  }
}

/** Puts the wallet away. Does nothing where none is enabled. */
export async function deactivateWeb3(): Promise<void> {
  const before = state;
  if (before.status === "not enabled" || before.status === "deactivated") return;
  release();
  setState({ status: "deactivated" });
  forget();
  if (before.status !== "enabled") return;
  events.emit("web3Deactivated", { connector: before.connector, provider: before.provider });
  await before.connector.deactivate().catch(() => undefined);
}

/** Throws where the wallet cannot be asked for it. */
export async function switchNetwork(chainId: string | number): Promise<void> {
  const { connector } = enabledWallet();
  if (!canSwitchChains(connector)) throw unsupported("switchNetwork", connector);
  await connector.switchNetwork(chainId);
}

export async function addNetwork(
  chainId: string,
  chainName: string,
  currencyName: string,
  currencySymbol: string,
  rpcUrl: string,
  blockExplorerUrl?: string,
): Promise<void> {
  const { connector } = enabledWallet();
  if (!canSwitchChains(connector)) throw unsupported("addNetwork", connector);
  const chain: ChainDescription = {
    chainId,
    chainName,
    currencyName,
    currencySymbol,
    rpcUrl,
    blockExplorerUrl,
  };
  await connector.addNetwork(chain);
}

/** Takes up the wallet of before a reload, where it gives its account without asking. Answers whether it did. */
export async function reconnectWallet(): Promise<boolean> {
  const wallet = rememberedWallet();
  if (!wallet || state.status === "enabling" || state.status === "enabled") return false;
  if (!(await givesAccount(wallet.rdns))) return false;
  await enableWeb3(wallet);
  return true;
}

function rememberedWallet(): { provider: string; rdns?: string } | undefined {
  const { storage, applicationId } = connection();
  if (storage.kind !== "immediate") return undefined;
  const text = storage.area.getItem(storageKey(applicationId));
  return text === null ? undefined : JSON.parse(text);
}

function connectorFor({ connector, provider }: EnableOptions): AbstractWeb3Connector {
  if (connector) return new connector();
  return provider === "keystore" ? new KeystoreConnector() : new InjectedWeb3Connector();
}

/** Waits for the wallet no longer than agreed. */
function answered<T>(
  work: Promise<T>,
  { signal, timeoutMs = DEFAULT_TIMEOUT_MS }: EnableOptions,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("The wallet did not answer in time")), timeoutMs);
    const abort = () => reject(signal?.reason ?? new Error("Connecting was cancelled"));
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort, { once: true });
    work.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    });
  });
}

function follow(connector: AbstractWeb3Connector): void {
  const stops = [
    connector.on("accountChanged", (account) => {
      if (state.status === "enabled") setState({ ...state, account });
      events.emit("accountChanged", account);
    }),
    connector.on("chainChanged", (chainId) => {
      if (state.status === "enabled") setState({ ...state, chainId });
      events.emit("chainChanged", chainId);
    }),
    connector.on("connect", (info) => events.emit("provider-connect", info)),
    connector.on("disconnect", (error) => {
      if (error instanceof Error && error.message === PASSING_DISCONNECT) return;
      void deactivateWeb3().then(() => events.emit("provider-disconnect", error));
    }),
  ];
  letGo = () => {
    for (const stop of stops) stop();
  };
}

function release(): void {
  letGo?.();
  letGo = undefined;
}

function setState(next: WalletState): void {
  state = next;
  events.emit("state", next);
}

function remember(type: string, { rdns }: EnableOptions): void {
  const { storage, applicationId } = connection();
  // An embedded wallet's key is never kept: it is unlocked anew.
  if (storage.kind !== "immediate" || type !== "injected") return;
  storage.area.setItem(storageKey(applicationId), JSON.stringify({ provider: type, ...(rdns && { rdns }) }));
}

function forget(): void {
  const { storage, applicationId } = connection();
  if (storage.kind === "immediate") storage.area.removeItem(storageKey(applicationId));
}

function storageKey(applicationId: string): string {
  return `Parse/${applicationId}/wallet`;
}

function unsupported(name: string, connector: AbstractWeb3Connector): Error {
  return new Error(`Cannot call ${name}, as it does not exist on connector type "${connector.type}"`);
}

setConnectedAccount(() => (state.status === "enabled" ? state.account : null));
beforeLogOut(deactivateWeb3);

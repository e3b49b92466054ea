import { Emitter } from "../emitter.ts";
import { beforeLogOut } from "../user/logOutHooks.ts";
import { setConnectedAccount } from "../web3api/web3api.ts";
import type { AbstractWeb3Connector, Activation } from "./Connector.ts";
import { type CustomConnector, connectorNamed } from "./connectors.ts";
import { type Eip1193Provider, hexChainId, isTemporaryDisconnect } from "./eip1193.ts";
import { InjectedWeb3Connector } from "./injected.ts";
import { loadPersistedWallet, onWalletChangeInOtherTabs, persistWallet } from "./persistedWallet.ts";
import { type WaitOptions, withTimeout } from "./timeouts.ts";

/** The wallet to connect. */
export interface EnableOptions extends WaitOptions {
  /** `walletconnect`, `network`, `magicLink`, `web3Auth`, `keystore`; anything else selects the browser's wallet. */
  provider?: string | undefined;
  /** A custom connector. */
  connector?: CustomConnector | undefined;
  /** The `rdns` of an announced wallet (EIP-6963). */
  rdns?: string | undefined;
  /** The `uuid` of an announced wallet, if several have the same `rdns`. */
  uuid?: string | undefined;
  /** Further options of the connector. */
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
      /** Null while the wallet is locked. */
      account: string | null;
      chainId: string | null;
    }
  | { status: "deactivated" };

/** A wallet that is connected. */
export type EnabledWallet = Extract<WalletState, { status: "enabled" }>;

/** The events of the wallet connection. */
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
  /** Lowercase hex, or null. */
  accountChanged: [account: string | null];
  "provider-connect": [info: { chainId?: string }];
  "provider-disconnect": [error: unknown];
  /** After every change of the state. */
  state: [state: WalletState];
}

const ALREADY_ENABLING =
  "Cannot execute Moralis.enableWeb3(), as Moralis Moralis.enableWeb3() already has been called, but is not finished yet ";
const MISSING = "Missing web3 instance, make sure to call Moralis.enableWeb3() or Moralis.authenticate()";
/** Timeout for ending the session of a disconnected wallet, in ms. */
const DISCONNECT_TIMEOUT_MS = 5_000;
/** Timeout for reconnecting a wallet, in ms. */
const RECONNECT_TIMEOUT_MS = 15_000;

const events = /* @__PURE__ */ new Emitter<WalletEvents>(["state"]);
let state: WalletState = { status: "not enabled" };
/** The pending attempt to enable a wallet. */
let pendingAttempt: AbortController | undefined;
let unsubscribe: (() => void) | undefined;
/** Whether other tabs can connect the enabled wallet too. */
let isShared = false;
let isSyncingTabs = false;

/** The events of the wallet connection: `walletEvents.on("accountChanged", …)`. */
export const walletEvents = events;

/** The current state of the wallet connection. */
export function walletState(): WalletState {
  return state;
}

/** Whether a wallet is enabled. */
export function isWeb3Enabled(): boolean {
  return state.status === "enabled";
}

/** The enabled wallet. Throws if there is none. */
export function enabledWallet(): EnabledWallet {
  if (state.status !== "enabled") throw new Error(MISSING);
  return state;
}

/**
 * Connects a wallet and returns its provider; disconnects a previous one. Rejects while another
 * call is in progress, when the wallet rejects, when it is deactivated meanwhile, and after the timeout; then there is
 * no wallet.
 */
export function enableWeb3(requested: EnableOptions = {}): Promise<Eip1193Provider> {
  const options = withBrowserWallet(requested);
  return enable(options, async () => options.connector ?? connectorNamed(options.provider));
}

/** The options; if they name no wallet and one of the browser's is enabled, adds the selection of that one. */
export function withBrowserWallet(options: EnableOptions): EnableOptions {
  const { provider, connector, rdns, uuid } = options;
  const selected = provider ?? connector ?? rdns ?? uuid;
  if (selected !== undefined || state.status !== "enabled") return options;
  const enabled = state.connector;
  return enabled instanceof InjectedWeb3Connector ? { ...options, ...enabled.selection } : options;
}

/** Disconnects the wallet, and aborts a pending attempt. Does nothing without a wallet. */
export async function deactivateWeb3(): Promise<void> {
  const before = state;
  if (before.status === "not enabled" || before.status === "deactivated") return;
  pendingAttempt?.abort(new Error("The wallet was disconnected"));
  pendingAttempt = undefined;
  setState({ status: "deactivated" });
  persistWallet(null);
  if (before.status === "enabled") await disconnect(before);
}

/**
 * Reconnects the wallet after a reload, if it needs no approval. Returns whether it did.
 * Synchronizes with other tabs from then on.
 */
export async function reconnectWallet(): Promise<boolean> {
  syncWithTabs();
  const wallet = loadPersistedWallet();
  if (!wallet || isBusy()) return false;
  const { provider, options } = wallet;
  const Class = await connectorNamed(provider);
  const connector = new Class(options);
  if (!(await withTimeout(connector.isAuthorized(options), { timeoutMs: RECONNECT_TIMEOUT_MS })))
    return false;
  // Another wallet may have been connected, or this one disconnected, meanwhile.
  if (isBusy() || !loadPersistedWallet()) return false;
  await enable({ ...options, timeoutMs: RECONNECT_TIMEOUT_MS }, async () => connector);
  return true;
}

async function enable(
  options: EnableOptions,
  target: () => Promise<CustomConnector>,
): Promise<Eip1193Provider> {
  if (state.status === "enabling") throw new Error(ALREADY_ENABLING);
  const before = state.status === "enabled" ? state : undefined;
  const attempt = beginAttempt(options);
  try {
    const connector = connectorFor(await target(), before?.connector, options);
    if (before) await disconnect(before, connector);
    const activation = await activate(connector, { ...options, signal: attempt.signal });
    const account = activation.account?.toLowerCase() ?? null;
    const { provider } = activation;
    const chainId = hexChainId(activation.chainId);
    pendingAttempt = undefined;
    subscribeTo(connector);
    persistSelection(connector, options);
    setState({ status: "enabled", connector, provider, account, chainId });
    events.emit("web3Enabled", { chainId, account, connector, provider, web3: provider });
    return provider;
  } catch (error) {
    // The wallet may have been deactivated meanwhile.
    if (pendingAttempt === attempt) {
      pendingAttempt = undefined;
      setState({ status: "not enabled" });
    }
    throw error;
  } finally {
    attempt.abort();
  }
}

/** Starts an attempt; its signal is aborted by the caller's signal, by a deactivation, and when it ends. */
function beginAttempt({ signal }: EnableOptions): AbortController {
  const attempt = new AbortController();
  const cancel = () => attempt.abort(signal?.reason);
  if (signal?.aborted) cancel();
  signal?.addEventListener("abort", cancel, { once: true, signal: attempt.signal });
  pendingAttempt = attempt;
  setConnectedAccount(() => (state.status === "enabled" ? state.account : null));
  beforeLogOut(deactivateWeb3);
  syncWithTabs();
  setState({ status: "enabling" });
  return attempt;
}

/** The connector to activate; the enabled one if it can resume its session. */
function connectorFor(
  target: CustomConnector,
  before: AbstractWeb3Connector | undefined,
  options: EnableOptions,
): AbstractWeb3Connector {
  const isSame = before !== undefined && (target === before || target === before.constructor);
  if (isSame && before.canResume?.(options)) return before;
  return typeof target === "function" ? new target(options) : target;
}

/** Activates the connector. If the activation fails or times out, deactivates it as soon as it completes. */
async function activate(connector: AbstractWeb3Connector, options: EnableOptions): Promise<Activation> {
  let activation: Promise<Activation> | undefined;
  try {
    options.signal?.throwIfAborted();
    activation = connector.activate(options);
    const result = await withTimeout(activation, options);
    if (!result?.provider) throw new Error("Failed to activate, no provider returned");
    return result;
  } catch (error) {
    void Promise.resolve(activation)
      .catch(() => undefined)
      .then(() => deactivate(connector));
    throw error;
  }
}

/** Disconnects an enabled wallet. Ends its session unless the next connector is the same. */
async function disconnect(before: EnabledWallet, next?: AbstractWeb3Connector): Promise<void> {
  unsubscribe?.();
  unsubscribe = undefined;
  events.emit("web3Deactivated", { connector: before.connector, provider: before.provider });
  if (next !== before.connector) await deactivate(before.connector);
}

/** Deactivates a connector; failures and timeouts are ignored. */
async function deactivate(connector: AbstractWeb3Connector): Promise<void> {
  try {
    await withTimeout(connector.deactivate(), { timeoutMs: DISCONNECT_TIMEOUT_MS });
  } catch {
    // There is nothing that the caller could do.
  }
}

function subscribeTo(connector: AbstractWeb3Connector): void {
  const stops = [
    connector.on("accountChanged", (account) => {
      if (state.status !== "enabled" || state.account === account) return;
      setState({ ...state, account });
      events.emit("accountChanged", account);
    }),
    connector.on("chainChanged", (chainId) => {
      if (state.status !== "enabled" || state.chainId === chainId) return;
      setState({ ...state, chainId });
      events.emit("chainChanged", chainId);
    }),
    connector.on("connect", (info) => {
      if (state.status === "enabled" && info.chainId) setState({ ...state, chainId: info.chainId });
      events.emit("provider-connect", info);
    }),
    connector.on("disconnect", (error) => {
      if (isTemporaryDisconnect(error)) return;
      void deactivateWeb3().then(() => events.emit("provider-disconnect", error));
    }),
  ];
  unsubscribe = () => {
    for (const stop of stops) stop();
  };
}

/** Connects and disconnects the wallet as other tabs do. */
function syncWithTabs(): void {
  if (isSyncingTabs) return;
  isSyncingTabs = true;
  onWalletChangeInOtherTabs((enabled) => {
    if (!enabled && isShared && state.status === "enabled") void deactivateWeb3();
    // A wallet that this tab cannot connect is ignored.
    if (enabled && !isBusy()) void reconnectWallet().catch(() => undefined);
  });
}

function persistSelection(connector: AbstractWeb3Connector, options: EnableOptions): void {
  const persisted = options.connector ? undefined : connector.persistedOptions?.(options);
  isShared = persisted !== undefined;
  persistWallet(persisted ? { provider: connector.type, options: persisted } : null);
}

function isBusy(): boolean {
  return state.status === "enabling" || state.status === "enabled";
}

function setState(next: WalletState): void {
  state = next;
  events.emit("state", next);
}

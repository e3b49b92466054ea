import { Emitter } from "../emitter.ts";
import { beforeLogOut } from "../user/logOutHooks.ts";
import { setConnectedAccount } from "../web3api/web3api.ts";
import type { AbstractWeb3Connector, Activation } from "./Connector.ts";
import { type CustomConnector, connectorNamed } from "./connectors.ts";
import { type Eip1193Provider, hexChainId, isPassingDisconnect } from "./eip1193.ts";
import { InjectedWeb3Connector } from "./injected.ts";
import { onOtherTabs, rememberedWallet, rememberWallet } from "./remembered.ts";
import { type WaitOptions, withinTime } from "./waiting.ts";

/** Which wallet to connect. */
export interface EnableOptions extends WaitOptions {
  /** `walletconnect`, `network`, `magicLink`, `web3Auth`, `keystore`, or anything else for the browser's own wallet. */
  provider?: string | undefined;
  /** A connector of the application's own. */
  connector?: CustomConnector | undefined;
  /** Of a wallet that has announced itself (EIP-6963): its `rdns`. */
  rdns?: string | undefined;
  /** Of the same: its `uuid`, where another has that `rdns` too. */
  uuid?: string | undefined;
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
      /** Null while the wallet is locked. */
      account: string | null;
      chainId: string | null;
    }
  | { status: "deactivated" };

/** A wallet that is connected. */
export type EnabledWallet = Extract<WalletState, { status: "enabled" }>;

/** What the wallet connection tells, by event. */
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

const ALREADY_ENABLING =
  "Cannot execute Moralis.enableWeb3(), as Moralis Moralis.enableWeb3() already has been called, but is not finished yet ";
const MISSING = "Missing web3 instance, make sure to call Moralis.enableWeb3() or Moralis.authenticate()";
/** How long a wallet that is put away may take to end its session, in ms. */
const LEAVING_MS = 5_000;
/** How long a wallet may take to say whether it knows this page, in ms. */
const RESUMING_MS = 15_000;

const events = /* @__PURE__ */ new Emitter<WalletEvents>(["state"]);
let state: WalletState = { status: "not enabled" };
/** The enabling that is underway. */
let underway: AbortController | undefined;
let letGo: (() => void) | undefined;
/** Whether the enabled wallet is one that other tabs can take up too. */
let shared = false;
let follows = false;

/** Tells what happens to the wallet connection: `walletEvents.on("accountChanged", …)`. */
export const walletEvents = events;

/** The wallet connection as it is now. */
export function walletState(): WalletState {
  return state;
}

/** Whether a wallet is enabled. */
export function isWeb3Enabled(): boolean {
  return state.status === "enabled";
}

/** The enabled wallet. Throws where there is none. */
export function enabledWallet(): EnabledWallet {
  if (state.status !== "enabled") throw new Error(MISSING);
  return state;
}

/**
 * Connects a wallet and answers its provider; one that was enabled before is put away. Rejects while another
 * call is in progress, when the wallet refuses, when it is put away meanwhile, and after the deadline; there is
 * no wallet then.
 */
export function enableWeb3(given: EnableOptions = {}): Promise<Eip1193Provider> {
  const options = withBrowserWallet(given);
  return enable(options, async () => options.connector ?? connectorNamed(options.provider));
}

/** The options; where they name no wallet and one of the browser's is enabled, that one: it need not be the first. */
export function withBrowserWallet(options: EnableOptions): EnableOptions {
  const { provider, connector, rdns, uuid } = options;
  const named = provider ?? connector ?? rdns ?? uuid;
  if (named !== undefined || state.status !== "enabled") return options;
  const enabled = state.connector;
  return enabled instanceof InjectedWeb3Connector ? { ...options, ...enabled.chosen } : options;
}

/** Puts the wallet away, and stops an enabling that is underway. Does nothing where there is none. */
export async function deactivateWeb3(): Promise<void> {
  const before = state;
  if (before.status === "not enabled" || before.status === "deactivated") return;
  underway?.abort(new Error("The wallet was put away"));
  underway = undefined;
  setState({ status: "deactivated" });
  rememberWallet(null);
  if (before.status === "enabled") await putAway(before);
}

/**
 * Takes up the wallet of before a reload, where it gives its account without asking. Answers whether it did.
 * Follows from then on what other tabs do with it.
 */
export async function reconnectWallet(): Promise<boolean> {
  followTabs();
  const wallet = rememberedWallet();
  if (!wallet || isBusy()) return false;
  const { provider, options } = wallet;
  const Class = await connectorNamed(provider);
  const connector = new Class(options);
  if (!(await withinTime(connector.authorized(options), { timeoutMs: RESUMING_MS }))) return false;
  // Somebody may have been quicker, or have put it away meanwhile.
  if (isBusy() || !rememberedWallet()) return false;
  await enable({ ...options, timeoutMs: RESUMING_MS }, async () => connector);
  return true;
}

async function enable(
  options: EnableOptions,
  target: () => Promise<CustomConnector>,
): Promise<Eip1193Provider> {
  if (state.status === "enabling") throw new Error(ALREADY_ENABLING);
  const before = state.status === "enabled" ? state : undefined;
  const attempt = begin(options);
  try {
    const connector = connectorFor(await target(), before?.connector, options);
    if (before) await putAway(before, connector);
    const given = await activated(connector, { ...options, signal: attempt.signal });
    const account = given.account?.toLowerCase() ?? null;
    const { provider } = given;
    const chainId = hexChainId(given.chainId);
    underway = undefined;
    follow(connector);
    remember(connector, options);
    setState({ status: "enabled", connector, provider, account, chainId });
    events.emit("web3Enabled", { chainId, account, connector, provider, web3: provider });
    return provider;
  } catch (error) {
    // Somebody may have put the wallet away meanwhile.
    if (underway === attempt) {
      underway = undefined;
      setState({ status: "not enabled" });
    }
    throw error;
  } finally {
    attempt.abort();
  }
}

/** An attempt at enabling; its signal is aborted when the caller gives up, when it is put away and when it is over. */
function begin({ signal }: EnableOptions): AbortController {
  const attempt = new AbortController();
  const cancel = () => attempt.abort(signal?.reason);
  if (signal?.aborted) cancel();
  signal?.addEventListener("abort", cancel, { once: true, signal: attempt.signal });
  underway = attempt;
  setConnectedAccount(() => (state.status === "enabled" ? state.account : null));
  beforeLogOut(deactivateWeb3);
  followTabs();
  setState({ status: "enabling" });
  return attempt;
}

/** The connector to open; that of the enabled wallet where it goes on with its session. */
function connectorFor(
  target: CustomConnector,
  before: AbstractWeb3Connector | undefined,
  options: EnableOptions,
): AbstractWeb3Connector {
  const same = before !== undefined && (target === before || target === before.constructor);
  if (same && before.resumes?.(options)) return before;
  return typeof target === "function" ? new target(options) : target;
}

/** Opens the wallet. One that is not waited for any more is put away as soon as it opens. */
async function activated(connector: AbstractWeb3Connector, options: EnableOptions): Promise<Activation> {
  let activation: Promise<Activation> | undefined;
  try {
    options.signal?.throwIfAborted();
    activation = connector.activate(options);
    const given = await withinTime(activation, options);
    if (!given?.provider) throw new Error("Failed to activate, no provider returned");
    return given;
  } catch (error) {
    void Promise.resolve(activation)
      .catch(() => undefined)
      .then(() => leave(connector));
    throw error;
  }
}

/** Lets an enabled wallet go. Its session ends, unless the next wallet goes on with it. */
async function putAway(before: EnabledWallet, next?: AbstractWeb3Connector): Promise<void> {
  letGo?.();
  letGo = undefined;
  events.emit("web3Deactivated", { connector: before.connector, provider: before.provider });
  if (next !== before.connector) await leave(before.connector);
}

/** A wallet that fails to end its session, or takes too long, is gone all the same. */
async function leave(connector: AbstractWeb3Connector): Promise<void> {
  try {
    await withinTime(connector.deactivate(), { timeoutMs: LEAVING_MS });
  } catch {
    // Nobody could do anything about it.
  }
}

function follow(connector: AbstractWeb3Connector): void {
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
      if (isPassingDisconnect(error)) return;
      void deactivateWeb3().then(() => events.emit("provider-disconnect", error));
    }),
  ];
  letGo = () => {
    for (const stop of stops) stop();
  };
}

/** Does with a wallet that can be taken up again what another tab has done with it. */
function followTabs(): void {
  if (follows) return;
  follows = true;
  onOtherTabs((enabled) => {
    if (!enabled && shared && state.status === "enabled") void deactivateWeb3();
    // A wallet that this tab cannot take up stays the other tab's.
    if (enabled && !isBusy()) void reconnectWallet().catch(() => undefined);
  });
}

function remember(connector: AbstractWeb3Connector, options: EnableOptions): void {
  const kept = options.connector ? undefined : connector.kept?.(options);
  shared = kept !== undefined;
  rememberWallet(kept ? { provider: connector.type, options: kept } : null);
}

function isBusy(): boolean {
  return state.status === "enabling" || state.status === "enabled";
}

function setState(next: WalletState): void {
  state = next;
  events.emit("state", next);
}

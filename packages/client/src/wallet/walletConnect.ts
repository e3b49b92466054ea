/// <reference path="./optionalSdks.d.ts" />
import { currentConnection } from "../connection.ts";
import {
  AbstractWeb3Connector,
  type Activation,
  type ChainDescription,
  type ChainSwitching,
  requestAdding,
  requestSwitch,
} from "./Connector.ts";
import { type Eip1193Provider, hexChainId, isProvider } from "./eip1193.ts";
import { call, loadSdk, member, rethrow, type SdkLoader } from "./sdk.ts";

/** Of a wallet on another device. `projectId` is needed. */
export interface WalletConnectOptions {
  /** The application's id at WalletConnect (Reown). */
  projectId?: string | undefined;
  /** The chain that the wallet has to be on; any of `chains` where it is left out. */
  chainId?: number | string | undefined;
  /** Chains that the application can work with; 1 where it is left out. */
  chains?: readonly (number | string)[] | undefined;
  /** Nodes for what the wallet does not answer itself, by chain id. */
  rpcMap?: Record<string, string> | undefined;
  /** What the wallet shows of the application. */
  metadata?: { name: string; description: string; url: string; icons: string[] } | undefined;
  /** Wallets shown first on telephones. */
  mobileLinks?: readonly string[] | undefined;
  /** Instead of WalletConnect's relay. */
  relayUrl?: string | undefined;
  /** Takes the address that a wallet scans or opens. */
  onUri?: ((uri: string) => void) | undefined;
  /** Whether the library shows its own window; it does where `onUri` is left out and nothing is said here. */
  qrModal?: boolean | undefined;
  /** Ends a session that is still there first. */
  newSession?: boolean | undefined;
  signal?: AbortSignal | undefined;
  load?: SdkLoader | undefined;
}

/** A wallet on another device or in another app (WalletConnect 2), through `@walletconnect/ethereum-provider`. */
export class WalletConnectWeb3Connector extends AbstractWeb3Connector implements ChainSwitching {
  override type = "WalletConnect";
  #library: Eip1193Provider | undefined;
  #project: string | undefined;

  override async activate(options: WalletConnectOptions = {}): Promise<Activation> {
    const library = await this.#open(options);
    if (options.newSession && hasSession(library)) await call(library, "disconnect");
    if (!hasSession(library)) await pair(library, options);
    const accounts = member(library, "accounts");
    return this.activated(library, accounts, hexChainId(member(library, "chainId")));
  }

  override async authorized(options: WalletConnectOptions = {}): Promise<boolean> {
    return hasSession(await this.#open(options));
  }

  override kept(options: WalletConnectOptions = {}): Record<string, unknown> {
    const { projectId, chainId, chains, rpcMap, metadata, relayUrl, qrModal } = options;
    return { projectId, chainId, chains, rpcMap, metadata, relayUrl, qrModal };
  }

  override resumes({ projectId, newSession }: WalletConnectOptions = {}): boolean {
    return this.#library !== undefined && this.#project === projectId && !newSession;
  }

  async switchNetwork(chainId: string | number): Promise<void> {
    const hex = hexChainId(chainId);
    if (hex === null) throw new Error(`"${chainId}" is not a chain id`);
    if (hex !== this.chainId && this.provider) await requestSwitch(this.provider, hex);
  }

  async addNetwork(chain: ChainDescription): Promise<void> {
    if (this.provider) await requestAdding(this.provider, chain);
  }

  override async deactivate(): Promise<void> {
    const library = this.#library;
    this.#library = undefined;
    await super.deactivate();
    if (library && hasSession(library)) await call(library, "disconnect");
  }

  async #open(options: WalletConnectOptions): Promise<Eip1193Provider> {
    if (this.#library && this.#project === options.projectId) return this.#library;
    if (!options.projectId) throw new Error('"projectId" not provided, please provide projectId');
    this.#library = await libraryOf(settingsOf(options), options.load);
    this.#project = options.projectId;
    return this.#library;
  }
}

/** A second start of the library in one page would answer for the sessions of the first: there is one for its settings. */
const libraries = new WeakMap<object, Map<string, Promise<Eip1193Provider>>>();

function libraryOf(settings: object, load: SdkLoader | undefined): Promise<Eip1193Provider> {
  const holder = currentConnection()?.storage;
  if (!holder) return startLibrary(settings, load);
  const key = JSON.stringify(settings);
  const known = libraries.get(holder) ?? new Map<string, Promise<Eip1193Provider>>();
  libraries.set(holder, known);
  const started = known.get(key) ?? startLibrary(settings, load);
  known.set(key, started);
  started.catch(() => known.delete(key));
  return started;
}

async function startLibrary(settings: object, load: SdkLoader | undefined): Promise<Eip1193Provider> {
  const EthereumProvider = await loadSdk({
    load: load ?? installed,
    global: ["@walletconnect/ethereum-provider", "EthereumProvider"],
    name: "EthereumProvider",
    missing: 'Cannot enable via WalletConnect: dependency "@walletconnect/ethereum-provider" is missing',
  });
  const library = await call(EthereumProvider, "init", settings);
  if (isProvider(library)) return library;
  throw new Error("Could not connect via WalletConnect, error in connecting to provider");
}

/** In a block of its own: webpack lets a package be missing only where its import is tried right here. */
async function installed(): Promise<unknown> {
  try {
    return await import("@walletconnect/ethereum-provider");
  } catch (error) {
    return rethrow(error);
  }
}

function settingsOf(options: WalletConnectOptions): object {
  const { projectId, chainId, chains = [], rpcMap, metadata, mobileLinks, relayUrl } = options;
  const { onUri, qrModal = onUri === undefined } = options;
  const required = chainId === undefined ? [] : [numberOf(chainId)];
  const optional = [...required, ...chains.map(numberOf)];
  return {
    projectId,
    ...(required.length > 0 && { chains: required }),
    optionalChains: optional.length > 0 ? optional : [1],
    showQrModal: qrModal,
    ...(mobileLinks && { qrModalOptions: { mobileWallets: mobileLinks } }),
    ...(rpcMap && { rpcMap }),
    ...(metadata && { metadata }),
    ...(relayUrl && { relayUrl }),
  };
}

function numberOf(chainId: number | string): number {
  const hex = hexChainId(chainId);
  if (hex === null) throw new Error(`"${chainId}" is not a chain id`);
  return Number(hex);
}

function hasSession(library: Eip1193Provider): boolean {
  const session = member(library, "session");
  return session !== undefined && session !== null;
}

/** An attempt at finding a wallet, which may outlive who waits for it: some versions cannot end one before its time. */
interface Pairing {
  done: Promise<unknown>;
  uri: string | undefined;
  waiting: number;
  isAborted: boolean;
}

const pairings = new WeakMap<object, Pairing>();

/** Waits for a wallet to take the address. Who gives up and comes again before it is too old gets the same address. */
async function pair(library: Eip1193Provider, options: WalletConnectOptions): Promise<void> {
  const { onUri, signal } = options;
  const pairing = pairings.get(library) ?? beginPairing(library);
  const show = (uri: string) => onUri?.(uri);
  if (pairing.uri !== undefined) show(pairing.uri);
  library.on?.("display_uri", show);
  pairing.waiting += 1;
  let abort = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    abort = () => reject(signal?.reason ?? new Error("Connecting was cancelled"));
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort, { once: true });
  });
  const wasAborted = pairing.isAborted;
  try {
    await Promise.race([pairing.done, aborted]);
  } catch (error) {
    // The attempt of somebody before, which has ended late.
    if (wasAborted && !signal?.aborted) return await pair(library, options);
    throw error;
  } finally {
    pairing.waiting -= 1;
    library.removeListener?.("display_uri", show);
    signal?.removeEventListener("abort", abort);
    if (signal?.aborted && pairing.waiting === 0) endPairing(library, pairing);
  }
}

function beginPairing(library: Eip1193Provider): Pairing {
  const pairing: Pairing = { done: Promise.resolve(), uri: undefined, waiting: 0, isAborted: false };
  const note = (uri: string) => {
    pairing.uri = uri;
  };
  library.on?.("display_uri", note);
  pairings.set(library, pairing);
  pairing.done = call(library, "connect").finally(() => {
    pairings.delete(library);
    library.removeListener?.("display_uri", note);
    // A wallet that comes when everybody has left is sent away.
    if (pairing.waiting === 0 && hasSession(library)) void call(library, "disconnect").catch(() => undefined);
  });
  pairing.done.catch(() => undefined);
  return pairing;
}

function endPairing(library: Eip1193Provider, pairing: Pairing): void {
  pairing.isAborted = true;
  const signer = member(library, "signer");
  // An attempt that is over already need not be ended.
  if (pairings.get(library) === pairing && member(signer, "abortPairingAttempt"))
    void call(signer, "abortPairingAttempt").catch(() => undefined);
}

import { currentConnection } from "../connection.ts";
import { type Activation, ChainSwitchingConnector } from "./Connector.ts";
import { type Eip1193Provider, hexChainId, isProvider, requireChainId } from "./eip1193.ts";
import { walletLibraryLoader } from "./libraries.ts";
import { call, loadSdk, member, type SdkLoader } from "./sdk.ts";

/** Options of a wallet on another device. `projectId` is required. */
export interface WalletConnectOptions {
  /** The application's project id at WalletConnect (Reown). */
  projectId?: string | undefined;
  /** The required chain; defaults to any of `chains`. */
  chainId?: number | string | undefined;
  /** The chains that the application supports; defaults to 1. */
  chains?: readonly (number | string)[] | undefined;
  /** Nodes for requests that the wallet does not handle, by chain id. */
  rpcMap?: Record<string, string> | undefined;
  /** The application's metadata, shown by the wallet. */
  metadata?: { name: string; description: string; url: string; icons: string[] } | undefined;
  /** Wallets that are shown first on mobile devices. */
  mobileLinks?: readonly string[] | undefined;
  /** Replaces WalletConnect's relay. */
  relayUrl?: string | undefined;
  /** Called with the URI that a wallet scans or opens. */
  onUri?: ((uri: string) => void) | undefined;
  /** Whether the library shows its own modal; defaults to true without `onUri`. */
  qrModal?: boolean | undefined;
  /** Ends an existing session first. */
  newSession?: boolean | undefined;
  signal?: AbortSignal | undefined;
  load?: SdkLoader | undefined;
}

/** A wallet on another device or in another app (WalletConnect 2), through `@walletconnect/ethereum-provider`. */
export class WalletConnectWeb3Connector extends ChainSwitchingConnector {
  override type = "WalletConnect";
  #library: Eip1193Provider | undefined;
  #project: string | undefined;

  override async activate(options: WalletConnectOptions = {}): Promise<Activation> {
    const library = await this.#open(options);
    if (options.newSession && hasSession(library)) await call(library, "disconnect");
    if (!hasSession(library)) await pair(library, options);
    const accounts = member(library, "accounts");
    return this.completeActivation(library, accounts, hexChainId(member(library, "chainId")));
  }

  override async isAuthorized(options: WalletConnectOptions = {}): Promise<boolean> {
    return hasSession(await this.#open(options));
  }

  override persistedOptions(options: WalletConnectOptions = {}): Record<string, unknown> {
    const { projectId, chainId, chains, rpcMap, metadata, relayUrl, qrModal } = options;
    return { projectId, chainId, chains, rpcMap, metadata, relayUrl, qrModal };
  }

  override canResume({ projectId, newSession }: WalletConnectOptions = {}): boolean {
    return this.#library !== undefined && this.#project === projectId && !newSession;
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
    this.#library = await sharedLibrary(settingsOf(options), options.load);
    this.#project = options.projectId;
    return this.#library;
  }
}

/** One instance per settings: a second instance in a page would handle the sessions of the first. */
const libraries = new WeakMap<object, Map<string, Promise<Eip1193Provider>>>();

function sharedLibrary(settings: object, load: SdkLoader | undefined): Promise<Eip1193Provider> {
  const storage = currentConnection()?.storage;
  if (!storage) return startLibrary(settings, load);
  const key = JSON.stringify(settings);
  const known = libraries.get(storage) ?? new Map<string, Promise<Eip1193Provider>>();
  libraries.set(storage, known);
  const started = known.get(key) ?? startLibrary(settings, load);
  known.set(key, started);
  started.catch(() => known.delete(key));
  return started;
}

async function startLibrary(settings: object, load: SdkLoader | undefined): Promise<Eip1193Provider> {
  const EthereumProvider = await loadSdk({
    load: load ?? walletLibraryLoader("@walletconnect/ethereum-provider"),
    global: ["@walletconnect/ethereum-provider", "EthereumProvider"],
    name: "EthereumProvider",
    missing: 'Cannot enable via WalletConnect: dependency "@walletconnect/ethereum-provider" is missing',
  });
  const library = await call(EthereumProvider, "init", settings);
  if (isProvider(library)) return library;
  throw new Error("Could not connect via WalletConnect, error in connecting to provider");
}

function settingsOf(options: WalletConnectOptions): object {
  const { projectId, chainId, chains = [], rpcMap, metadata, mobileLinks, relayUrl } = options;
  const { onUri, qrModal = onUri === undefined } = options;
  const required = chainId === undefined ? [] : [Number(requireChainId(chainId))];
  const optional = [...required, ...chains.map((chain) => Number(requireChainId(chain)))];
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

function hasSession(library: Eip1193Provider): boolean {
  const session = member(library, "session");
  return session !== undefined && session !== null;
}

/** A pairing attempt, which may outlive its callers: some versions cannot abort one. */
interface Pairing {
  done: Promise<unknown>;
  uri: string | undefined;
  waiters: number;
  isAborted: boolean;
}

const pairings = new WeakMap<object, Pairing>();

/** Waits for a wallet to accept the URI. A later call reuses the URI of a pairing that has not expired. */
async function pair(library: Eip1193Provider, options: WalletConnectOptions): Promise<void> {
  const { onUri, signal } = options;
  const pairing = pairings.get(library) ?? beginPairing(library);
  const showUri = (uri: string) => onUri?.(uri);
  if (pairing.uri !== undefined) showUri(pairing.uri);
  library.on?.("display_uri", showUri);
  pairing.waiters += 1;
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
    // This was a previous caller's attempt, which was aborted late.
    if (wasAborted && !signal?.aborted) return await pair(library, options);
    throw error;
  } finally {
    pairing.waiters -= 1;
    library.removeListener?.("display_uri", showUri);
    signal?.removeEventListener("abort", abort);
    if (signal?.aborted && pairing.waiters === 0) endPairing(library, pairing);
  }
}

function beginPairing(library: Eip1193Provider): Pairing {
  const pairing: Pairing = { done: Promise.resolve(), uri: undefined, waiters: 0, isAborted: false };
  const saveUri = (uri: string) => {
    pairing.uri = uri;
  };
  library.on?.("display_uri", saveUri);
  pairings.set(library, pairing);
  pairing.done = call(library, "connect").finally(() => {
    pairings.delete(library);
    library.removeListener?.("display_uri", saveUri);
    // Disconnects a wallet that accepts after all callers have left.
    if (pairing.waiters === 0 && hasSession(library)) void call(library, "disconnect").catch(() => undefined);
  });
  pairing.done.catch(() => undefined);
  return pairing;
}

function endPairing(library: Eip1193Provider, pairing: Pairing): void {
  pairing.isAborted = true;
  const signer = member(library, "signer");
  // A finished attempt need not be aborted.
  if (pairings.get(library) === pairing && member(signer, "abortPairingAttempt"))
    void call(signer, "abortPairingAttempt").catch(() => undefined);
}

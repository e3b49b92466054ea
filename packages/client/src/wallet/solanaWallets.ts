/* Wallets of Solana in a browser: those of the Wallet Standard, and one that a page has as `window.solana`. */

/** A wallet of Solana that can sign texts. */
export interface SolanaWallet {
  name: string;
  /** A data URI of an image, if the wallet has one. */
  icon: string | undefined;
  /** Prompts the user for an account; resolves with its address in base58. */
  connect(): Promise<string>;
  /** Signs a text with the connected account (ed25519). */
  sign(text: Uint8Array): Promise<Uint8Array>;
}

const APP_READY = "wallet-standard:app-ready";
const REGISTER = "wallet-standard:register-wallet";

/** The wallets that are installed in this browser; those of the Wallet Standard come first. */
export function solanaWallets(): SolanaWallet[] {
  if (typeof window === "undefined") return [];
  const found: SolanaWallet[] = [];
  const register = (...wallets: unknown[]) => {
    for (const wallet of wallets) {
      const known = standardWallet(wallet);
      if (known && !found.some(({ name }) => name === known.name)) found.push(known);
    }
    return () => undefined;
  };
  const onRegister = (event: Event) => {
    const callback: unknown = event instanceof CustomEvent ? event.detail : undefined;
    if (typeof callback === "function") callback({ register });
  };
  // Wallets that are ready answer at once; those that load later find no listener, and are found by the next call.
  window.addEventListener(REGISTER, onRegister);
  window.dispatchEvent(new CustomEvent(APP_READY, { detail: { register } }));
  window.removeEventListener(REGISTER, onRegister);
  const injected = injectedWallet(Reflect.get(window, "solana"));
  return injected && found.length === 0 ? [injected] : found;
}

/** Calls back with the wallets of Solana now, and whenever another one has loaded. Returns a function that unsubscribes. */
export function watchSolanaWallets(listener: (wallets: readonly SolanaWallet[]) => void): () => void {
  if (typeof window === "undefined") return () => undefined;
  // A wallet that loads later answers once it has announced itself.
  const update = () => queueMicrotask(() => listener(solanaWallets()));
  window.addEventListener(REGISTER, update);
  listener(solanaWallets());
  return () => window.removeEventListener(REGISTER, update);
}

/** A wallet of the Wallet Standard; undefined if it cannot sign texts for Solana. */
function standardWallet(wallet: unknown): SolanaWallet | undefined {
  const connect = methodOf(propertyOf(propertyOf(wallet, "features"), "standard:connect"), "connect");
  const signMessage = methodOf(
    propertyOf(propertyOf(wallet, "features"), "solana:signMessage"),
    "signMessage",
  );
  if (!connect || !signMessage) return undefined;
  let account: unknown;
  return {
    name: String(propertyOf(wallet, "name")),
    icon: iconOf(wallet),
    async connect() {
      const accounts: unknown = propertyOf(await connect(), "accounts");
      account = Array.isArray(accounts) ? accounts[0] : undefined;
      return requireAddress(propertyOf(account, "address"));
    },
    async sign(text) {
      const outputs: unknown = await signMessage({ account, message: text });
      return requireBytes(Array.isArray(outputs) ? propertyOf(outputs[0], "signature") : undefined);
    },
  };
}

/** A wallet with the interface of Phantom. */
function injectedWallet(provider: unknown): SolanaWallet | undefined {
  const connect = methodOf(provider, "connect");
  const signMessage = methodOf(provider, "signMessage");
  if (!connect || !signMessage) return undefined;
  return {
    name: "Solana",
    icon: undefined,
    async connect() {
      const publicKey = propertyOf(await connect(), "publicKey") ?? propertyOf(provider, "publicKey");
      return requireAddress(publicKey === undefined || publicKey === null ? undefined : String(publicKey));
    },
    async sign(text) {
      const output = await signMessage(text, "utf8");
      return requireBytes(propertyOf(output, "signature") ?? output);
    },
  };
}

function iconOf(wallet: unknown): string | undefined {
  const icon = propertyOf(wallet, "icon");
  return typeof icon === "string" && icon.startsWith("data:image/") ? icon : undefined;
}

function propertyOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

function methodOf(owner: unknown, name: string): ((...args: unknown[]) => unknown) | undefined {
  const method = propertyOf(owner, name);
  return typeof method === "function" ? (...args) => Reflect.apply(method, owner, args) : undefined;
}

function requireAddress(address: unknown): string {
  if (typeof address === "string" && address !== "") return address;
  throw new Error("Cannot authenticate, no account returned from provider");
}

function requireBytes(bytes: unknown): Uint8Array {
  if (bytes instanceof Uint8Array && bytes.length > 0) return bytes;
  throw new Error("Data not signed");
}

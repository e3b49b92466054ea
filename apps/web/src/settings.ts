import type { Translator } from "@purse/ui";

/** Public settings that the server returns at `/config.json`. */
export interface AppSettings {
  appId: string;
  serverUrl: string;
  /** The key that the server demands of JavaScript apps, if any. */
  javascriptKey?: string;
  development: boolean;
  /** Whether the server lists the classes that a user can query. */
  listsClasses: boolean;
  /** Whether changing the password revokes the other sessions. */
  passwordEndsSessions: boolean;
  /** What the server demands of new passwords; undefined at a server of an earlier version. */
  passwordRules?: {
    /** In characters; undefined at a server of an earlier version. */
    minLength?: number;
    /** By the operator; null if every password is accepted. */
    description: string | null;
    excludesUsername: boolean;
    /** How many of the last passwords may not be used again. */
    history: number;
  };
  chains: AppChain[];
  /** Funded accounts of the local chain, in development only. */
  devWallets: { address: string; privateKey: string }[];
  /** Wallet services with their public IDs; null if not configured. */
  wallets: {
    walletConnect: { projectId: string; relayUrl: string | null } | null;
    web3Auth: { clientId: string; network: string } | null;
    magic: { apiKey: string; network: string } | null;
  };
  /** What the server accepts of signed-in users; undefined at a server of an earlier version. */
  uploads?: UploadRules;
  /** The VAPID key with which browsers subscribe to messages, base64url; null if the server sends none to browsers. */
  webPush: { publicKey: string } | null;
}

export interface UploadRules {
  isAllowed: boolean;
  /** Of a file. */
  maxBytes: number;
  /** Extensions and regular expressions for them; null for all that browsers do not execute. */
  extensions: readonly string[] | null;
}

export interface AppChain {
  /** EIP-155 chain ID. */
  id: number;
  hexId: string;
  /** As in the settings of the server. */
  name: string;
  /** The display name; undefined at a server of an earlier version. */
  title?: string;
  /** Set for the local chain only. */
  rpcUrl: string | null;
  nativeCurrency: { name: string; symbol: string; decimals: number };
  /** The contract of the wrapped native coin, lower-case hex; null if it is unknown. */
  wrappedNative: string | null;
}

/** Timeout of the settings request, in ms. */
const TIMEOUT_MS = 20_000;

/** Throws an Error with a message for users if the server does not respond. */
export async function loadSettings(): Promise<AppSettings> {
  const response = await fetch("/config.json", { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(
    () => undefined,
  );
  if (!response?.ok) throw new Error("The server did not respond. Check that it is running, then try again.");
  const settings: AppSettings = await response.json();
  // The app is served by the server it talks to. Behind a proxy, its own origin is the correct one.
  const { pathname } = new URL(settings.serverUrl);
  return { ...settings, serverUrl: new URL(pathname, window.location.origin).href };
}

/** The display name of a chain. */
export function chainName(
  { name, title = name }: Pick<AppChain, "name" | "title">,
  t: Translator["t"],
): string {
  return name === "localdevchain" ? t("Local chain") : title;
}

export function chainByHexId(settings: AppSettings, hexId: string): AppChain | undefined {
  return settings.chains.find((chain) => chain.hexId === hexId.toLowerCase());
}

/** The chain shown while no wallet is connected. */
export function defaultChain(settings: AppSettings): AppChain | undefined {
  return settings.chains[0];
}

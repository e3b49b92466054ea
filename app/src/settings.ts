/** What the server tells the app of itself at `/config.json`. */
export interface AppSettings {
  appId: string;
  serverUrl: string;
  development: boolean;
  /** Whether the server tells which classes somebody may find in. */
  listsClasses: boolean;
  /** Whether a new password ends the sessions on other devices. */
  passwordEndsSessions: boolean;
  chains: AppChain[];
  /** Funded wallets of the local chain; only in development. */
  devWallets: { address: string; privateKey: string }[];
  /** Wallets of others that the operator offers, with the public ids that they want; null where there is none. */
  wallets: {
    walletConnect: { projectId: string; relayUrl: string | null } | null;
    web3Auth: { clientId: string; network: string } | null;
    magic: { apiKey: string; network: string } | null;
  };
}

export interface AppChain {
  /** EIP-155. */
  id: number;
  hexId: string;
  name: string;
  /** Only of the local chain. */
  rpcUrl: string | null;
  nativeCurrency: { name: string; symbol: string; decimals: number };
}

/** How long the server may take to tell them, in ms. */
const TIMEOUT_MS = 20_000;

/** Throws Error with words for people where the server does not answer. */
export async function loadSettings(): Promise<AppSettings> {
  const response = await fetch("/config.json", { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(
    () => undefined,
  );
  if (!response?.ok) throw new Error("The server did not respond. Check that it is running, then try again.");
  const settings: AppSettings = await response.json();
  // The app is served by the server that it talks to: behind a proxy its own origin is the right one.
  const { pathname } = new URL(settings.serverUrl);
  return { ...settings, serverUrl: new URL(pathname, window.location.origin).href };
}

export function chainByHexId(settings: AppSettings, hexId: string): AppChain | undefined {
  return settings.chains.find((chain) => chain.hexId === hexId.toLowerCase());
}

/** The chain that pages show while no wallet says another. */
export function defaultChain(settings: AppSettings): AppChain | undefined {
  return settings.chains[0];
}

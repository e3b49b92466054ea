/** What the app needs to offer wallets that are no extension of the browser: public ids only, as everybody gets them. */
export type WalletServices = {
  walletConnect: { projectId: string; relayUrl: string | null } | null;
  web3Auth: { clientId: string; network: string } | null;
  magic: { apiKey: string; network: string } | null;
};

/** Other origins that a page may have to do with, as Content-Security-Policy names them. */
export interface PageSources {
  connect: string[];
  frames: string[];
  images: string[];
}

/** The hosts of the wallet services that are set, and none of the others. */
export function walletServiceSources({ walletConnect, web3Auth, magic }: WalletServices): PageSources {
  const sources: PageSources = { connect: [], frames: [], images: [] };
  if (walletConnect) {
    const relay = walletConnect.relayUrl;
    const relays = relay
      ? [new URL(relay).origin]
      : ["wss://relay.walletconnect.org", "wss://relay.walletconnect.com"];
    sources.connect.push(
      ...relays,
      "https://rpc.walletconnect.org",
      "https://verify.walletconnect.org",
      "https://pulse.walletconnect.org",
    );
    sources.frames.push("https://verify.walletconnect.org");
  }
  if (web3Auth) {
    sources.connect.push("https://*.web3auth.io", "wss://*.web3auth.io", "https://*.tor.us");
    sources.frames.push("https://*.web3auth.io");
    sources.images.push("https://*.web3auth.io");
  }
  if (magic) {
    sources.connect.push("https://*.magic.link");
    sources.frames.push("https://auth.magic.link");
  }
  return sources;
}

/** Accepts the key of Magic that pages may have; the secret one would be told to everybody. */
export function magicKey(value: string): string {
  if (/^pk_[\w-]+$/.test(value)) return value;
  throw new Error("it must be the publishable key, pk_…, which everybody may see");
}

export function relayUrl(value: string): string {
  if (URL.canParse(value) && /^wss?:$/.test(new URL(value).protocol)) return value;
  throw new Error("it must be wss://… or ws://…");
}

/** An id as services give them out. */
export function publicId(value: string): string {
  if (/^[\w-]{1,200}$/.test(value)) return value;
  throw new Error("it must be letters, digits, - and _");
}

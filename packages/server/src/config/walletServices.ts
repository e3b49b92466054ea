/** Public IDs of the third-party wallet services that the app offers. Every client receives them. */
export type WalletServices = {
  walletConnect: { projectId: string; relayUrl: string | null } | null;
  web3Auth: { clientId: string; network: string } | null;
  magic: { apiKey: string; network: string } | null;
};

/** External origins of a page, by Content-Security-Policy directive. */
export interface PageSources {
  connect: string[];
  frames: string[];
  images: string[];
}

/** The origins of the configured wallet services only. */
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

/** Parses a publishable Magic key. A secret key is rejected, because every client would receive it. */
export function magicKey(value: string): string {
  if (/^pk_[\w-]+$/.test(value)) return value;
  throw new Error("it must be the publishable key, pk_…, which is public");
}

/** Parses the WebSocket URL of a relay. */
export function relayUrl(value: string): string {
  if (URL.canParse(value) && /^wss?:$/.test(new URL(value).protocol)) return value;
  throw new Error("it must be wss://… or ws://…");
}

/** Parses a public ID of a service. */
export function publicId(value: string): string {
  if (/^[\w-]{1,200}$/.test(value)) return value;
  throw new Error("it must be letters, digits, - and _");
}

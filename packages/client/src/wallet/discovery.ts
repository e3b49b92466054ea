import { isRecord } from "@purse/protocol";
import { createListeners } from "../listeners.ts";
import { type Eip1193Provider, isProvider } from "./eip1193.ts";

/** A wallet that has announced itself to the page (EIP-6963). */
export interface InjectedWallet {
  uuid: string;
  name: string;
  /** A data URI. */
  icon: string;
  /** The wallet's reverse domain name, stable across sessions. */
  rdns: string;
  provider: Eip1193Provider;
}

const listeners = /* @__PURE__ */ createListeners();
let wallets: readonly InjectedWallet[] = [];
let isListening = false;

/** The wallets that announce themselves to this page. No method of a wallet is called before it is selected. */
export const injectedWallets = {
  /** The same list until another wallet announces itself. */
  get(): readonly InjectedWallet[] {
    startListening();
    return wallets;
  },
  subscribe(listener: () => void): () => void {
    startListening();
    return listeners.add(listener);
  },
};

/** Time for wallets to announce themselves after the page was loaded, in ms. */
const ANNOUNCEMENT_MS = 100;

/** Returns the wallets of this page after giving them time to announce themselves. */
export async function waitForWallets(): Promise<readonly InjectedWallet[]> {
  startListening();
  await new Promise((resolve) => setTimeout(resolve, ANNOUNCEMENT_MS));
  return wallets;
}

/** The provider of wallets from before EIP-6963. */
export function windowEthereum(): Eip1193Provider | undefined {
  if (typeof window === "undefined") return undefined;
  const injected: unknown = "ethereum" in window ? window.ethereum : undefined;
  return isProvider(injected) ? injected : undefined;
}

/** Whether the browser has any wallet. The name is Moralis's; it never distinguished MetaMask from others. */
export async function isMetaMaskInstalled(): Promise<boolean> {
  return windowEthereum() !== undefined || (await waitForWallets()).length > 0;
}

function startListening(): void {
  // React Native's `window` has no events.
  if (isListening || typeof window === "undefined" || typeof window.addEventListener !== "function") return;
  isListening = true;
  window.addEventListener("eip6963:announceProvider", (event) => {
    const wallet = "detail" in event ? parseAnnouncement(event.detail) : undefined;
    if (!wallet || wallets.some((known) => known.uuid === wallet.uuid)) return;
    wallets = Object.freeze([...wallets, wallet]);
    listeners.call();
  });
  window.dispatchEvent(new Event("eip6963:requestProvider"));
}

function parseAnnouncement(detail: unknown): InjectedWallet | undefined {
  if (!isRecord(detail) || !isRecord(detail.info) || !isProvider(detail.provider)) return undefined;
  const { uuid, name, icon, rdns } = detail.info;
  if (typeof uuid !== "string" || typeof name !== "string" || typeof rdns !== "string") return undefined;
  // Only data URIs, so that the page never fetches a URL for a wallet.
  const safeIcon = typeof icon === "string" && icon.startsWith("data:image/") ? icon : "";
  return Object.freeze({ uuid, name: name.slice(0, 64), icon: safeIcon, rdns, provider: detail.provider });
}

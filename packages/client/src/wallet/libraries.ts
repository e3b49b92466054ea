import { importInstalled } from "../installedPackage.ts";
import type { SdkLoader } from "./sdk.ts";

/** The package of a wallet library. */
export type WalletLibrary = "@walletconnect/ethereum-provider" | "@web3auth/modal" | "magic-sdk";

const loaders = /* @__PURE__ */ new Map<WalletLibrary, SdkLoader>();

/**
 * Registers how a wallet library is loaded: `registerWalletLibrary("magic-sdk", () => import("magic-sdk"))`. Bundled
 * applications call it once, before the wallet is enabled or reconnected; Node.js finds installed libraries itself.
 */
export function registerWalletLibrary(name: WalletLibrary, load: SdkLoader): void {
  loaders.set(name, load);
}

/** The registered loader of a library, else one that imports the installed package. */
export function walletLibraryLoader(name: WalletLibrary): SdkLoader {
  return loaders.get(name) ?? (() => importInstalled(name));
}

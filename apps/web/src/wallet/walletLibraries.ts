import { registerWalletLibrary } from "@purse/client";

/** Registers the libraries of the wallets that an operator can configure. Those that are not installed fail to load. */
export function registerWalletLibraries(): void {
  registerWalletLibrary("magic-sdk", () => import("magic-sdk"));
  registerWalletLibrary("@walletconnect/ethereum-provider", () => import("@walletconnect/ethereum-provider"));
  registerWalletLibrary("@web3auth/modal", () => import("@web3auth/modal"));
}

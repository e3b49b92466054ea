import { QrCode, Users } from "lucide-react";
import type { AppSettings } from "../../settings.ts";
import type { WalletOption } from "./walletOption.ts";

/** The configured wallet services that need no further input. */
export function serviceWalletOptions({ wallets, chains }: AppSettings): WalletOption[] {
  const { walletConnect, web3Auth } = wallets;
  const walletOptions: WalletOption[] = [];
  if (walletConnect) {
    walletOptions.push({
      id: "walletConnect",
      name: "WalletConnect",
      hint: "Preparing a QR code for your wallet…",
      icon: QrCode,
      usesLink: true,
      options: {
        provider: "walletConnect",
        projectId: walletConnect.projectId,
        chains: chains.map(({ id }) => id),
        rpcMap: Object.fromEntries(chains.flatMap(({ id, rpcUrl }) => (rpcUrl ? [[id, rpcUrl]] : []))),
        metadata: {
          name: document.title,
          description: "Purse",
          url: window.location.origin,
          icons: [`${window.location.origin}/favicon.svg`],
        },
        qrModal: false,
        ...(walletConnect.relayUrl && { relayUrl: walletConnect.relayUrl }),
      },
    });
  }
  if (web3Auth) {
    walletOptions.push({
      id: "web3Auth",
      name: "Social login (Web3Auth)",
      hint: "Choose a sign-in method in the Web3Auth window.",
      icon: Users,
      options: {
        provider: "web3Auth",
        clientId: web3Auth.clientId,
        web3AuthNetwork: web3Auth.network,
        ...(chains[0] && { chainId: chains[0].hexId }),
        theme: document.documentElement.dataset.theme === "light" ? "light" : "dark",
      },
    });
  }
  return walletOptions;
}

/** The Magic wallet of an email address. */
export function magicWalletOption(
  { apiKey, network }: { apiKey: string; network: string },
  email: string,
): WalletOption {
  return {
    id: "magic",
    name: "Magic",
    hint: "Open the link in the email we just sent you, and keep this page open.",
    options: { provider: "magicLink", apiKey, network, email },
  };
}

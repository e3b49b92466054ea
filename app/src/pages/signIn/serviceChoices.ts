import { QrCode, Users } from "lucide-react";
import type { AppSettings } from "../../settings.ts";
import type { Choice } from "./choice.ts";

/** The wallets of services that the operator has set up, which need nothing but to be chosen. */
export function serviceChoices({ wallets, chains }: AppSettings): Choice[] {
  const { walletConnect, web3Auth } = wallets;
  const choices: Choice[] = [];
  if (walletConnect) {
    choices.push({
      id: "walletConnect",
      name: "WalletConnect",
      hint: "Preparing a code for your wallet …",
      icon: QrCode,
      isElsewhere: true,
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
    choices.push({
      id: "web3Auth",
      name: "Social login (Web3Auth)",
      hint: "Web3Auth's window asks how you want to log in.",
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
  return choices;
}

/** The wallet of whoever gets mail at that address. */
export function magicChoice({ apiKey, network }: { apiKey: string; network: string }, email: string): Choice {
  return {
    id: "magic",
    name: "Magic",
    hint: "Open the link in the mail that has just been sent to you, and leave this page open.",
    options: { provider: "magicLink", apiKey, network, email },
  };
}

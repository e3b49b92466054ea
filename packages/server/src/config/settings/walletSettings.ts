import { setting } from "@purse/kernel";
import { list, parsed, settingGroup } from "../settingTypes.ts";
import { siweDomains } from "../siweDomains.ts";
import { magicKey, publicId, relayUrl } from "../walletServices.ts";

/** Wallet sign-in, and the wallet services of the app. */
export const walletSettings = {
  ...settingGroup("Server", {
    siweDomains: setting(list(siweDomains).optional(), {
      description:
        "Hosts of your sites, separated by commas; localhost:* for every port. They may request wallet sign-ins (EIP-4361) and use the data API's functions without an API key. Default: the host of the server's URL, in development also localhost.",
    }),
  }),
  ...settingGroup("Wallet services of the app", {
    walletConnectProjectId: setting(parsed(publicId).optional(), {
      env: "PURSE_WALLETCONNECT_PROJECT_ID",
      description:
        "Public project ID at WalletConnect (Reown). Enables wallets on other devices in the app, if its library is installed. Disabled if unset.",
    }),
    walletConnectRelayUrl: setting(parsed(relayUrl).optional(), {
      env: "PURSE_WALLETCONNECT_RELAY_URL",
      description: "Relay, such as wss://host, instead of WalletConnect's own.",
    }),
    web3AuthClientId: setting(parsed(publicId).optional(), {
      env: "PURSE_WEB3AUTH_CLIENT_ID",
      description:
        "Public client ID at Web3Auth. Enables wallets with a social login in the app, if its library is installed. Disabled if unset.",
    }),
    web3AuthNetwork: setting(parsed(publicId), {
      env: "PURSE_WEB3AUTH_NETWORK",
      default: "sapphire_mainnet",
      description: "Web3Auth network of the client ID.",
    }),
    magicApiKey: setting(parsed(magicKey).optional(), {
      description:
        "Publishable API key at Magic (pk_…). Enables wallets by email in the app. Disabled if unset.",
    }),
    magicNetwork: setting(parsed(publicId), {
      default: "mainnet",
      description: "Chain of the Magic wallets, by Magic's name for it.",
    }),
  }),
};

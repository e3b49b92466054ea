/** A wallet app for phones, with the links that open it. */
export interface WalletApp {
  name: string;
  /** Pairs with WalletConnect; the `wc:` URI follows, encoded. */
  pairingPrefix?: string;
  /** Opens a page in the app's browser, where the wallet is available to the page. */
  pageLink?(page: URL): string;
}

export const WALLET_APPS: readonly WalletApp[] = [
  {
    name: "MetaMask",
    pairingPrefix: "https://metamask.app.link/wc?uri=",
    // Without the protocol, which is always https.
    pageLink: ({ host, pathname, search }) => `https://link.metamask.io/dapp/${host}${pathname}${search}`,
  },
  {
    name: "Coinbase Wallet",
    pageLink: ({ href }) => `https://go.cb-w.com/dapp?cb_url=${encodeURIComponent(href)}`,
  },
  // Has no link that opens a page.
  { name: "Rainbow", pairingPrefix: "https://rnbwapp.com/wc?uri=" },
  {
    name: "Trust",
    pairingPrefix: "https://link.trustwallet.com/wc?uri=",
    // 60 is Ethereum in SLIP-44.
    pageLink: ({ href }) =>
      `https://link.trustwallet.com/open_url?coin_id=60&url=${encodeURIComponent(href)}`,
  },
];

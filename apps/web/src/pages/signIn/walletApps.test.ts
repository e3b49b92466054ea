import { expect, it } from "vitest";
import { WALLET_APPS } from "./walletApps.ts";

it("wallet apps open the page that a phone shows, with its parameters", () => {
  const page = new URL("https://app.example.org/send?to=0xabc&amount=1");
  const links = WALLET_APPS.flatMap(({ name, pageLink }) => (pageLink ? [[name, pageLink(page)]] : []));
  expect(Object.fromEntries(links)).toEqual({
    MetaMask: "https://link.metamask.io/dapp/app.example.org/send?to=0xabc&amount=1",
    "Coinbase Wallet":
      "https://go.cb-w.com/dapp?cb_url=https%3A%2F%2Fapp.example.org%2Fsend%3Fto%3D0xabc%26amount%3D1",
    Trust:
      "https://link.trustwallet.com/open_url?coin_id=60&url=https%3A%2F%2Fapp.example.org%2Fsend%3Fto%3D0xabc%26amount%3D1",
  });
});

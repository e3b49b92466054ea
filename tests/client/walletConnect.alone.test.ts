import {
  authenticate,
  deactivateWeb3,
  enabledWallet,
  reconnectWallet,
  start,
  switchNetwork,
  User,
  walletEvents,
  walletState,
} from "@purse/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { devAccount } from "../support/devAccount.ts";
import { hostPurse, type Purse } from "../support/purse.ts";
import { hasWalletConnect, startRelayWallet } from "../support/relayWallet.ts";
import { type Relay, startRelay } from "../support/walletConnectRelay.ts";

/*
 * The library is not a dependency (it has about 280 packages): the test runs if it is installed separately,
 * for example with `npm install --no-save @walletconnect/ethereum-provider`.
 */
const isInstalled = await hasWalletConnect();

const METADATA = { name: "Test", description: "A test", url: "http://127.0.0.1", icons: [] };
const ACCOUNT = devAccount(3);
const address = ACCOUNT.address.toLowerCase();

let purse: Purse;
let relay: Relay;

beforeAll(async () => {
  if (!isInstalled) return;
  [purse, relay] = await Promise.all([hostPurse({ devChain: true }), startRelay()]);
  await start({ serverUrl: purse.serverUrl, appId: purse.appId });
  User.enableUnsafeCurrentUser();
}, 120_000);
afterAll(async () => {
  relay?.stop();
  await purse?.remove();
});

describe.skipIf(!isInstalled)("a mobile wallet connected by WalletConnect's own library", () => {
  it("signs in, is restored, switches chains and reports the disconnect", async () => {
    const wallet = await startRelayWallet(relay.url, ACCOUNT);
    const options = {
      provider: "walletConnect",
      projectId: "a".repeat(32),
      chains: [1337, 137],
      relayUrl: relay.url,
      metadata: METADATA,
      onUri: (uri: string) => void wallet.pair(uri),
    };
    const user = await authenticate(options);
    expect(user.get("ethAddress")).toBe(address);
    expect(walletState()).toMatchObject({
      connector: { type: "WalletConnect" },
      account: address,
      chainId: "0x539",
    });

    const events: string[] = [];
    walletEvents.on("chainChanged", (chainId) => events.push(chainId));
    await switchNetwork(137);
    expect(enabledWallet().chainId).toBe("0x89");
    expect(events).toEqual(["0x89"]);
    expect(await reconnectWallet()).toBe(false);

    await deactivateWeb3();
    await wallet.ended;
    expect(await reconnectWallet()).toBe(false);
    const again = await authenticate(options);
    expect(again.id).toBe(user.id);
    await deactivateWeb3();
  });
});

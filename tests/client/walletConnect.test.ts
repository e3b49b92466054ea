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
import { isHex } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { devAccount } from "../support/browser.ts";
import { type Purse, startPurse } from "../support/purse.ts";
import { type Relay, startRelay } from "../support/walletConnectRelay.ts";

/*
 * The library is not a dependency (it brings some 280 packages): this runs where it has been installed beside,
 * as by `npm install --no-save @walletconnect/ethereum-provider`.
 */
const [library, walletLibrary] = await Promise.all([
  optional("@walletconnect/ethereum-provider"),
  optional("@walletconnect/sign-client"),
]);

function optional(name: string): Promise<object | undefined> {
  return import(name).catch(() => undefined);
}

const METADATA = { name: "Test", description: "A test", url: "http://127.0.0.1", icons: [] };
const ACCOUNT = devAccount(3);
const address = ACCOUNT.address.toLowerCase();

let purse: Purse;
let relay: Relay;

beforeAll(async () => {
  if (!library) return;
  [purse, relay] = await Promise.all([startPurse({ devChain: true }), startRelay()]);
  await start({ serverUrl: purse.serverUrl, appId: purse.appId });
  User.enableUnsafeCurrentUser();
}, 120_000);
afterAll(async () => {
  relay?.stop();
  await purse?.remove();
});

describe.skipIf(!library || !walletLibrary)(
  "a wallet on another device, with WalletConnect's own library",
  () => {
    it("signs in, is taken up again, switches chains, and hears of the end", async () => {
      const wallet = await startWallet(relay.url);
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

      const told: string[] = [];
      walletEvents.on("chainChanged", (chainId) => told.push(chainId));
      await switchNetwork(137);
      expect(enabledWallet().chainId).toBe("0x89");
      expect(told).toEqual(["0x89"]);
      expect(await reconnectWallet()).toBe(false);

      await deactivateWeb3();
      await wallet.ended;
      expect(await reconnectWallet()).toBe(false);
      const again = await authenticate(options);
      expect(again.id).toBe(user.id);
      await deactivateWeb3();
    });
  },
);

/** A wallet that agrees to everything and signs with a real key. */
async function startWallet(relayUrl: string) {
  const { SignClient } = Object(walletLibrary);
  const client = await SignClient.init({
    projectId: "b".repeat(32),
    relayUrl,
    metadata: METADATA,
    logger: "silent",
    telemetryEnabled: false,
    customStoragePrefix: "wallet",
    storageOptions: { database: ":memory:" },
  });
  const chains = ["eip155:1337", "eip155:137"];
  const accounts = chains.map((chain) => `${chain}:${ACCOUNT.address}`);
  const methods = ["personal_sign", "eth_sendTransaction", "wallet_switchEthereumChain"];
  const events = ["chainChanged", "accountsChanged"];
  client.on("session_proposal", async ({ id }: { id: number }) => {
    await client.approve({ id, namespaces: { eip155: { chains, accounts, methods, events } } });
  });
  interface Request {
    topic: string;
    id: number;
    params: { request: { method: string; params: unknown[] } };
  }
  client.on("session_request", async ({ topic, id, params }: Request) => {
    const [raw] = params.request.params;
    const result = isHex(raw) ? await ACCOUNT.signMessage({ message: { raw } }) : null;
    await client.respond({ topic, response: { id, jsonrpc: "2.0", result } });
  });
  const ended = new Promise<void>((resolve) => client.on("session_delete", () => resolve()));
  return { ended, pair: (uri: string): Promise<unknown> => client.pair({ uri }) };
}

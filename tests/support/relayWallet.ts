import { isHex } from "viem";
import type { PrivateKeyAccount } from "viem/accounts";

const LIBRARY = "@walletconnect/ethereum-provider";
const WALLET_LIBRARY = "@walletconnect/sign-client";
const METADATA = { name: "Test", description: "A test", url: "http://127.0.0.1", icons: [] };

function optional(name: string): Promise<object | undefined> {
  return import(name).catch(() => undefined);
}

/** Whether WalletConnect's libraries are installed; they are not dependencies of the project. */
export async function hasWalletConnect(): Promise<boolean> {
  const found = await Promise.all([optional(LIBRARY), optional(WALLET_LIBRARY)]);
  return found.every((module) => module !== undefined);
}

/** A wallet that approves everything and signs with a real key. */
export async function startRelayWallet(relayUrl: string, account: PrivateKeyAccount) {
  const { SignClient } = Object(await optional(WALLET_LIBRARY));
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
  const accounts = chains.map((chain) => `${chain}:${account.address}`);
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
    const result = isHex(raw) ? await account.signMessage({ message: { raw } }) : null;
    await client.respond({ topic, response: { id, jsonrpc: "2.0", result } });
  });
  const ended = new Promise<void>((resolve) => client.on("session_delete", () => resolve()));
  return { ended, pair: (uri: string): Promise<unknown> => client.pair({ uri }) };
}

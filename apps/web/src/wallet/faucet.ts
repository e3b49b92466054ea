import { callNode } from "@purse/client";
import { createWalletClient, http, isHex, parseEther } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import type { AppChain, AppSettings } from "../settings.ts";

/** Sends test coins, whole ones, of a funded account of the local chain, and waits until they have arrived. */
export async function sendTestCoins(
  settings: AppSettings,
  chain: AppChain,
  to: string,
  coins: number,
): Promise<void> {
  const { rpcUrl } = chain;
  const key = settings.devWallets.find(
    ({ address }) => address.toLowerCase() !== to.toLowerCase(),
  )?.privateKey;
  if (!rpcUrl || !isHex(key) || !isHex(to)) throw new Error("This chain has no test coins.");
  const wallet = createWalletClient({ account: privateKeyToAccount(key), transport: http(rpcUrl) });
  const hash = await wallet.sendTransaction({ chain: null, to, value: parseEther(String(coins)) });
  for (let tries = 0; tries < 100; tries++) {
    if (await callNode(rpcUrl, "eth_getTransactionReceipt", [hash])) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("The transaction was not included yet.");
}

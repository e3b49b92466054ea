import { isJsonObject, type JsonObject } from "@purse/protocol";
import { waitForReceipt } from "./transaction.ts";
import type { SentTransaction } from "./transfer.ts";
import { enabledWallet } from "./wallet.ts";

interface WalletTrigger {
  shouldAwait?: boolean;
  data: JsonObject;
}

/**
 * Has the connected wallet send a transaction that the server made. Where it is awaited, resolves with its receipt and
 * rejects where it has failed: what comes next counts on it.
 */
export async function web3Transaction({ data, shouldAwait }: WalletTrigger): Promise<unknown> {
  const { provider, account } = enabledWallet();
  const { from = account, to, value, data: input } = data;
  const transaction = {
    from,
    to,
    ...(value !== undefined && { value: quantity(value) }),
    ...(input !== undefined && { data: input }),
  };
  const hash = String(await provider.request({ method: "eth_sendTransaction", params: [transaction] }));
  if (!shouldAwait) {
    const wait = (confirmations = 1) => waitForReceipt(hash, provider, confirmations);
    return { hash, wait } satisfies SentTransaction;
  }
  const receipt = await waitForReceipt(hash, provider, 1);
  if (!receipt.succeeded) throw new Error(`Transaction ${hash} failed`);
  return receipt;
}

/** Has the wallet sign typed data (EIP-712). Resolves with the signature. */
export async function web3Sign({ data: { message, signer } }: WalletTrigger): Promise<unknown> {
  return signTyped(signer, message);
}

/** As `web3Sign`, in the shape of `eth_signTypedData_v4`; does nothing where nobody waits for it. */
export async function web3SignV4({ data, shouldAwait }: WalletTrigger): Promise<unknown> {
  if (!shouldAwait) return undefined;
  const message = Array.isArray(data.parameters) ? data.parameters[1] : undefined;
  return { result: await signTyped(data.from, message) };
}

function signTyped(signer: unknown, message: unknown): Promise<unknown> {
  const { provider, account } = enabledWallet();
  const typed = isJsonObject(message) ? JSON.stringify(message) : message;
  return provider.request({ method: "eth_signTypedData_v4", params: [signer ?? account, typed] });
}

/** Wallets take hex; servers may send decimal text. */
function quantity(value: unknown): string {
  const text = String(value);
  if (/^(0x[0-9a-f]+|\d+)$/i.test(text)) return `0x${BigInt(text).toString(16)}`;
  throw new Error("The value of a transaction must be a whole number of wei");
}

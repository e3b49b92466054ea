import { isJsonObject, type JsonObject } from "@purse/protocol";
import { type SentTransaction, sendTransaction } from "./send.ts";
import { signTypedData } from "./sign.ts";

export interface WalletTrigger {
  shouldAwait?: boolean;
  data: JsonObject;
}

/**
 * Sends a transaction from the server by the connected wallet. If it is awaited, resolves with its receipt and
 * rejects if it failed, because later triggers depend on it.
 */
export async function web3Transaction({ data, shouldAwait }: WalletTrigger): Promise<unknown> {
  const { from, to, value, data: input } = data;
  const sent: SentTransaction = await sendTransaction(
    {
      ...(typeof to === "string" && { to }),
      value: value === undefined ? 0n : integerOf(value),
      ...(typeof input === "string" && { data: input }),
    },
    typeof from === "string" ? { account: from } : {},
  );
  return shouldAwait ? sent.wait() : sent;
}

/** Signs typed data (EIP-712) by the wallet. Resolves with the signature. */
export async function web3Sign({ data: { message, signer } }: WalletTrigger): Promise<unknown> {
  if (!message) throw new Error("web3Sign trigger does not have a message to sign");
  if (typeof signer !== "string" || !signer) {
    throw new Error("web3Sign trigger signer address missing or invalid");
  }
  return signTypedData(typedDataText(message), { account: signer });
}

/** As `web3Sign`, with the parameters of `eth_signTypedData_v4`: resolves with the signature as `result`. */
export async function web3SignV4({ data: { parameters, from } }: WalletTrigger): Promise<unknown> {
  if (!Array.isArray(parameters)) throw new Error("web3SignV4 trigger does not have `parameters` to sign");
  if (typeof from !== "string" || !from) throw new Error("web3SignV4 trigger does not have a `from` address");
  return { result: await signTypedData(typedDataText(parameters[1]), { account: from }) };
}

/** Servers send JSON or a JSON string. */
function typedDataText(message: unknown): string {
  return isJsonObject(message) ? JSON.stringify(message) : String(message);
}

function integerOf(value: unknown): bigint {
  const text = String(value);
  if (/^(0x[0-9a-f]+|\d+)$/i.test(text)) return BigInt(text);
  throw new Error("The value of a transaction must be a whole number of wei");
}

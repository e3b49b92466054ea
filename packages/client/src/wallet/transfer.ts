import { type SentTransaction, sendTransaction, type TransactionCall } from "./send.ts";
import type { TransferOptions } from "./transferCall.ts";

export type { IntegerLike, TransferOptions } from "./transferCall.ts";

/**
 * Sends native currency or a token from the connected wallet. As in Moralis, it throws the
 * string `Unsupported type` for another type and a list of strings for missing fields.
 */
export async function transfer(options: TransferOptions = {}): Promise<SentTransaction> {
  const { from, ...call } = await transferCall(options);
  const { signal, timeoutMs } = options;
  return sendTransaction(call, { account: from, signal, timeoutMs });
}

/** The call that `transfer` sends, for `simulate`. Throws as `transfer` does. */
export async function transferCall(options?: TransferOptions): Promise<TransactionCall & { from: string }> {
  return (await import("./transferCall.ts")).transferCall(options);
}

import { type SentTransaction, sendTransaction, type TransactionCall } from "./send.ts";
import type { WaitOptions } from "./timeouts.ts";

/** An integer: decimal or hex string, bigint, or another library's big number. */
export type IntegerLike = string | number | bigint | { toString(): string };

/** Amounts are in the smallest unit (wei for the native currency). */
export interface TransferOptions extends WaitOptions {
  type?: "native" | "erc20" | "erc721" | "erc1155";
  /** An address, or a name (`alice.eth`) that is resolved. */
  receiver?: string;
  amount?: IntegerLike;
  contractAddress?: string;
  contract_address?: string;
  tokenId?: IntegerLike;
  token_id?: IntegerLike;
  /** Always treated as `evm`, as in Moralis. */
  system?: string;
}

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

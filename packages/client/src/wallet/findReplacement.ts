import { isRecord } from "@purse/protocol";
import type { Eip1193Provider } from "./eip1193.ts";
import { quantity } from "./quantity.ts";
import { type KnownTransaction, readReceipt, readTransaction } from "./receipt.ts";
import type { TransactionReference } from "./transactionReference.ts";
import type { PollResult, ReplacementKind } from "./transactionState.ts";
import { usedNonces } from "./usedNonces.ts";

/** Finds the transaction that used the nonce, by a binary search for its block. */
export async function findReplacement(
  reference: TransactionReference,
  nonce: number,
  provider: Eip1193Provider,
): Promise<PollResult | null> {
  const head = Number(await provider.request({ method: "eth_blockNumber" }));
  let before = Math.min(reference.block ?? 0, head);
  let after = head;
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    const usedNonce = await usedNonces(reference, provider, quantity(middle)).catch(() => null);
    // The node has pruned the old states.
    if (usedNonce === null || Number.isNaN(usedNonce)) return null;
    if (usedNonce > nonce) after = middle;
    else before = middle;
  }
  const block = await provider.request({ method: "eth_getBlockByNumber", params: [quantity(after), true] });
  const rows = isRecord(block) && Array.isArray(block.transactions) ? block.transactions : [];
  const transaction = rows
    .map(readTransaction)
    .find((row) => row?.from === reference.from?.toLowerCase() && row?.nonce === nonce);
  if (!transaction || transaction.hash === reference.hash.toLowerCase()) return null;
  const params = [transaction.hash];
  const receipt = readReceipt(await provider.request({ method: "eth_getTransactionReceipt", params }));
  return (
    receipt && {
      kind: "replacement",
      transaction,
      reason: replacementKind(reference, transaction),
      receipt,
      head,
    }
  );
}

function replacementKind({ call }: TransactionReference, replacement: KnownTransaction): ReplacementKind {
  if (call && sameCall(call, replacement)) return "sped up";
  const isEmpty =
    replacement.to === replacement.from && replacement.value === 0n && replacement.data === "0x";
  return isEmpty ? "cancelled" : "replaced";
}

function sameCall(call: NonNullable<TransactionReference["call"]>, replacement: KnownTransaction): boolean {
  return (
    (call.to?.toLowerCase() ?? null) === replacement.to &&
    BigInt(call.value) === replacement.value &&
    call.data.toLowerCase() === replacement.data
  );
}

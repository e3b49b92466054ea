import { isRecord } from "@purse/protocol";
import { type FeeTiers, feeTiers, type GasPrice } from "./fees.ts";
import { quantityOf } from "./quantity.ts";
import { type SentTransaction, sendTransaction, type TransactionCall } from "./send.ts";
import { getSigner } from "./signer.ts";
import type { WaitOptions } from "./timeouts.ts";
import type { TransactionReference } from "./transactionReference.ts";

/** Resends a pending transaction with higher fees. Throws if that is not possible. */
export async function speedUpTransaction(
  reference: TransactionReference,
  waitOptions: WaitOptions = {},
): Promise<SentTransaction> {
  const { call } = reference;
  if (!call) throw new Error("The content of the transaction is not known");
  const sameCall = { to: call.to ?? undefined, value: BigInt(call.value), data: call.data };
  return replace(reference, sameCall, waitOptions);
}

/** Replaces a pending transaction with an empty one. It may be too late. Throws if that is not possible. */
export async function cancelTransaction(
  reference: TransactionReference,
  waitOptions: WaitOptions = {},
): Promise<SentTransaction> {
  return replace(reference, { to: reference.from ?? undefined }, waitOptions);
}

async function replace(
  { hash, chainId, from, nonce }: TransactionReference,
  call: TransactionCall,
  { signal, timeoutMs }: WaitOptions,
): Promise<SentTransaction> {
  if (!from || nonce === undefined || nonce === null) {
    throw new Error("A transaction is replaced by its sender and nonce, which are not known");
  }
  const { provider } = await getSigner({ account: from, chainId: chainId ?? undefined, signal });
  const [known, tiers] = await Promise.all([
    provider.request({ method: "eth_getTransactionByHash", params: [hash] }).catch(() => null),
    feeTiers(provider),
  ]);
  if (isRecord(known) && known.blockNumber) throw new Error("The transaction is in a block already");
  const fees = raiseFees(tiers, known);
  return sendTransaction(call, {
    account: from,
    chainId: chainId ?? undefined,
    nonce,
    fees,
    signal,
    timeoutMs,
  });
}

/** The current fast fees, but at least 10 % more than before, which nodes require of replacements. */
function raiseFees({ fast }: FeeTiers, known: unknown): GasPrice {
  const previousFee = (...names: string[]): bigint => {
    const values = names.map((name) => (isRecord(known) ? quantityOf(known[name]) : null));
    return values.find((value) => value !== null) ?? 0n;
  };
  const raise = (fee: bigint): bigint => (fee * 9n) / 8n + 1n;
  const max = (a: bigint, b: bigint): bigint => (a > b ? a : b);
  return {
    maxFeePerGas: max(fast.maxFeePerGas, raise(previousFee("maxFeePerGas", "gasPrice"))),
    maxPriorityFeePerGas: max(
      fast.maxPriorityFeePerGas,
      raise(previousFee("maxPriorityFeePerGas", "gasPrice")),
    ),
  };
}

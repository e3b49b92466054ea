import type { Abi } from "viem";
import { type Eip1193Provider, hexChainId } from "./eip1193.ts";
import { quantity } from "./quantity.ts";
import { type KnownTransaction, readReceipt, readTransaction, type TransactionReceipt } from "./receipt.ts";
import { type Revert, revertOf } from "./revert.ts";
import type { TransactionReference } from "./transactionReference.ts";
import type { PollResult } from "./transactionState.ts";
import { usedNonces } from "./usedNonces.ts";

/** The transaction to poll for, with what is known of it. */
export interface TransactionQuery {
  reference: TransactionReference;
  /** The cached revert reason, with the hash of the block that it applies to. */
  revert: { blockHash: string; reason: Revert | null } | null;
}

/** Polls the chain once. Never rejects: failures of the node are results. */
export async function poll(
  query: TransactionQuery,
  provider: Eip1193Provider,
  abi: Abi | undefined,
): Promise<{ result: PollResult; query: TransactionQuery }> {
  try {
    await assertChain(query.reference, provider);
    // The nonce first: if it is used, the receipt exists by the next request.
    const usedNonce = await usedNonces(query.reference, provider);
    const { hash } = query.reference;
    const receipt = readReceipt(
      await provider.request({ method: "eth_getTransactionReceipt", params: [hash] }),
    );
    if (receipt) return await pollReceipt(query, receipt, provider, abi);
    const pending = readTransaction(
      await provider.request({ method: "eth_getTransactionByHash", params: [hash] }),
    );
    const updated = { ...query, reference: withKnownFields(query.reference, pending) };
    return await pollReplacement(updated, pending, usedNonce, provider);
  } catch (error) {
    return { result: { kind: "unreachable", error }, query };
  }
}

/** Throws if the wallet is on another chain, whose results would be meaningless. */
async function assertChain({ chainId }: TransactionReference, provider: Eip1193Provider): Promise<void> {
  if (chainId === null) return;
  const now = hexChainId(await provider.request({ method: "eth_chainId" }));
  if (now === null || BigInt(now) === BigInt(chainId)) return;
  throw new Error(`The wallet is on chain ${now}, the transaction on ${chainId}`);
}

async function pollReceipt(
  query: TransactionQuery,
  receipt: TransactionReceipt,
  provider: Eip1193Provider,
  abi: Abi | undefined,
): Promise<{ result: PollResult; query: TransactionQuery }> {
  const head = Number(await provider.request({ method: "eth_blockNumber" }));
  let { revert } = query;
  if (!receipt.succeeded && revert?.blockHash !== receipt.blockHash) {
    revert = { blockHash: receipt.blockHash, reason: await revertReason(receipt, provider, abi) };
  }
  const reason = receipt.succeeded ? null : (revert?.reason ?? null);
  return { result: { kind: "receipt", receipt, head, revert: reason }, query: { ...query, revert } };
}

/** Replays the call on the state before its block: nodes do not store the revert reason. */
async function revertReason(
  { transactionHash, blockNumber }: TransactionReceipt,
  provider: Eip1193Provider,
  abi: Abi | undefined,
): Promise<Revert | null> {
  const transaction = readTransaction(
    await provider.request({ method: "eth_getTransactionByHash", params: [transactionHash] }),
  );
  if (!transaction) return null;
  const { from, to, value, data } = transaction;
  const call = { from, ...(to && { to }), value: quantity(value), data };
  try {
    await provider.request({ method: "eth_call", params: [call, quantity(blockNumber - 1)] });
    return null;
  } catch (error) {
    return revertOf(error, abi);
  }
}

async function pollReplacement(
  query: TransactionQuery,
  pending: KnownTransaction | null,
  usedNonce: number | null,
  provider: Eip1193Provider,
): Promise<{ result: PollResult; query: TransactionQuery }> {
  const { nonce } = query.reference;
  const nonceUsed = usedNonce !== null && typeof nonce === "number" && usedNonce > nonce;
  if (nonceUsed) {
    const { findReplacement } = await import("./findReplacement.ts");
    const replacement = await findReplacement(query.reference, nonce, provider);
    if (replacement) return { result: replacement, query };
  }
  if (pending) return { result: { kind: "pending" }, query };
  return { result: { kind: "not found", nonceUsed }, query };
}

/**
 * Adds the fields of the pending transaction to the reference. The transaction of a smart account is sent by another
 * account, whose nonce and call do not belong to the reference.
 */
function withKnownFields(
  reference: TransactionReference,
  known: KnownTransaction | null,
): TransactionReference {
  const isOther = reference.from && known?.from !== reference.from.toLowerCase();
  if (!known || isOther) return reference;
  const { from, nonce, to, value, data } = known;
  return { ...reference, from, nonce, call: { to, value: value.toString(), data } };
}

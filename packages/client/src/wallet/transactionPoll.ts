import type { Abi } from "viem";
import { type Eip1193Provider, hexChainId } from "./eip1193.ts";
import { quantity } from "./quantity.ts";
import {
  isRecord,
  type KnownTransaction,
  readReceipt,
  readTransaction,
  type TransactionReceipt,
} from "./receipt.ts";
import { type Revert, revertOf } from "./revert.ts";
import type { PollResult, ReplacementKind } from "./transactionState.ts";

/** Identifies a transaction to follow; JSON, so that a page can continue after a reload. */
export interface TransactionReference {
  hash: string;
  /** Hex; null if unknown, then any chain is accepted. */
  chainId: string | null;
  /** `from` and `nonce` are needed to detect replacements. */
  from?: string | null;
  nonce?: number | null;
  /** The latest block when it was sent: the search for a replacement starts there. */
  block?: number | null;
  /** Used to distinguish a repricing from another transaction. `value` is decimal. */
  call?: { to: string | null; value: string; data: string } | null;
}

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

async function usedNonces(
  { from }: TransactionReference,
  provider: Eip1193Provider,
  block: string = "latest",
): Promise<number | null> {
  if (!from) return null;
  return Number(await provider.request({ method: "eth_getTransactionCount", params: [from, block] }));
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
    const replacement = await findReplacement(query.reference, nonce, provider);
    if (replacement) return { result: replacement, query };
  }
  if (pending) return { result: { kind: "pending" }, query };
  return { result: { kind: "not found", nonceUsed }, query };
}

/** Adds the fields of the pending transaction to the reference. */
function withKnownFields(
  reference: TransactionReference,
  known: KnownTransaction | null,
): TransactionReference {
  if (!known) return reference;
  const { from, nonce, to, value, data } = known;
  return { ...reference, from, nonce, call: { to, value: value.toString(), data } };
}

/** Finds the transaction that used the nonce, by a binary search for its block. */
async function findReplacement(
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

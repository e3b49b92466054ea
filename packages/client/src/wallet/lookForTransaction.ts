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
import type { Look, ReplacementKind } from "./transactionState.ts";

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
export interface Sought {
  reference: TransactionReference;
  /** The cached revert reason, with the hash of the block that it applies to. */
  revert: { blockHash: string; reason: Revert | null } | null;
}

/** Polls the chain once. Never rejects: failures of the node are results. */
export async function look(
  sought: Sought,
  provider: Eip1193Provider,
  abi: Abi | undefined,
): Promise<{ result: Look; sought: Sought }> {
  try {
    await assertChain(sought.reference, provider);
    // The nonce first: if it is used, the receipt exists by the next request.
    const used = await usedNonces(sought.reference, provider);
    const { hash } = sought.reference;
    const receipt = readReceipt(
      await provider.request({ method: "eth_getTransactionReceipt", params: [hash] }),
    );
    if (receipt) return await lookAtReceipt(sought, receipt, provider, abi);
    const pending = readTransaction(
      await provider.request({ method: "eth_getTransactionByHash", params: [hash] }),
    );
    const learnt = { ...sought, reference: learn(sought.reference, pending) };
    return await lookPastIt(learnt, pending, used, provider);
  } catch (error) {
    return { result: { found: "unreachable", error }, sought };
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

async function lookAtReceipt(
  sought: Sought,
  receipt: TransactionReceipt,
  provider: Eip1193Provider,
  abi: Abi | undefined,
): Promise<{ result: Look; sought: Sought }> {
  const head = Number(await provider.request({ method: "eth_blockNumber" }));
  let { revert } = sought;
  if (!receipt.succeeded && revert?.blockHash !== receipt.blockHash) {
    revert = { blockHash: receipt.blockHash, reason: await reasonOf(receipt, provider, abi) };
  }
  const reason = receipt.succeeded ? null : (revert?.reason ?? null);
  return { result: { found: "receipt", receipt, head, revert: reason }, sought: { ...sought, revert } };
}

/** Replays the call on the state before its block: nodes do not store the revert reason. */
async function reasonOf(
  { transactionHash, blockNumber }: TransactionReceipt,
  provider: Eip1193Provider,
  abi: Abi | undefined,
): Promise<Revert | null> {
  const sent = readTransaction(
    await provider.request({ method: "eth_getTransactionByHash", params: [transactionHash] }),
  );
  if (!sent) return null;
  const { from, to, value, data } = sent;
  const call = { from, ...(to && { to }), value: quantity(value), data };
  try {
    await provider.request({ method: "eth_call", params: [call, quantity(blockNumber - 1)] });
    return null;
  } catch (error) {
    return revertOf(error, abi);
  }
}

async function lookPastIt(
  sought: Sought,
  pending: KnownTransaction | null,
  used: number | null,
  provider: Eip1193Provider,
): Promise<{ result: Look; sought: Sought }> {
  const { nonce } = sought.reference;
  const nonceUsed = used !== null && typeof nonce === "number" && used > nonce;
  if (nonceUsed) {
    const replacement = await findReplacement(sought.reference, nonce, provider);
    if (replacement) return { result: replacement, sought };
  }
  if (pending) return { result: { found: "pending" }, sought };
  return { result: { found: "not found", nonceUsed }, sought };
}

/** Adds the fields of the pending transaction to the reference. */
function learn(reference: TransactionReference, known: KnownTransaction | null): TransactionReference {
  if (!known) return reference;
  const { from, nonce, to, value, data } = known;
  return { ...reference, from, nonce, call: { to, value: value.toString(), data } };
}

/** Finds the transaction that used the nonce, by a binary search for its block. */
async function findReplacement(
  reference: TransactionReference,
  nonce: number,
  provider: Eip1193Provider,
): Promise<Look | null> {
  const head = Number(await provider.request({ method: "eth_blockNumber" }));
  let before = Math.min(reference.block ?? 0, head);
  let after = head;
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    const used = await usedNonces(reference, provider, quantity(middle)).catch(() => null);
    // The node has pruned the old states.
    if (used === null || Number.isNaN(used)) return null;
    if (used > nonce) after = middle;
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
  return receipt && { found: "replacement", transaction, how: kindOf(reference, transaction), receipt, head };
}

function kindOf({ call }: TransactionReference, by: KnownTransaction): ReplacementKind {
  if (call && sameCall(call, by)) return "sped up";
  const nothing = by.to === by.from && by.value === 0n && by.data === "0x";
  return nothing ? "cancelled" : "replaced";
}

function sameCall(call: NonNullable<TransactionReference["call"]>, by: KnownTransaction): boolean {
  return (
    (call.to?.toLowerCase() ?? null) === by.to &&
    BigInt(call.value) === by.value &&
    call.data.toLowerCase() === by.data
  );
}

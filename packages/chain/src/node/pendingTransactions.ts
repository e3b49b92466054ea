import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";
import type { ChainNode } from "./chainNode.ts";
import { requestIfSupported } from "./optionalMethods.ts";
import { parseAddress, parseBigQuantity, parseBytes, parseHash, parseQuantity } from "./quantities.ts";
import { RpcError, RpcResponseTooLargeError } from "./rpcErrors.ts";

/** A transaction that is not in a block yet. Prices are in wei per gas. */
export interface PendingTransaction {
  hash: string;
  from: string;
  /** null for contract creations. */
  to: string | null;
  /** wei */
  value: string;
  nonce: number;
  gas: string;
  /** null for transactions with a max fee. */
  gasPrice: string | null;
  maxFeePerGas: string | null;
  maxPriorityFeePerGas: string | null;
  /** EIP-2718. */
  type: number;
  input: string;
  /** Whether it waits for one with a lower nonce that the node does not have. */
  isQueued: boolean;
}

/** What a node knows about the pending transactions of an address. */
export interface PendingTransactions {
  transactions: PendingTransaction[];
  /** The node's pool of transactions, and the block that it would build now. */
  sources: ("txpool" | "pending_block")[];
  /** Whether transactions to the address are known, too. */
  includesIncoming: boolean;
}

/** What one source has. */
interface Found {
  transactions: PendingTransaction[];
  includesIncoming: boolean;
}

/**
 * Reads the pending transactions from and to an address; undefined if the node shows neither its pool nor a pending
 * block. Each node only knows the transactions that it has received. Rejects with RpcError, InvalidNodeDataError or
 * RpcUnreachableError.
 */
export async function getPendingTransactions(
  node: ChainNode,
  address: string,
): Promise<PendingTransactions | undefined> {
  const [pool, block] = await Promise.all([readPool(node, address), readPendingBlock(node)]);
  if (!pool && !block) return undefined;
  const found = new Map<string, PendingTransaction>();
  for (const each of [...(block?.transactions ?? []), ...(pool?.transactions ?? [])])
    if (each.from === address || each.to === address) found.set(each.hash, each);
  // A block may have been added in the meantime.
  const transactions = [...found.values()];
  const receipts = await node.getReceipts(transactions.map(({ hash }) => hash));
  return {
    transactions: transactions.filter((_, i) => !isJsonObject(receipts[i])),
    sources: [...(pool ? ["txpool" as const] : []), ...(block ? ["pending_block" as const] : [])],
    includesIncoming: block !== undefined || pool?.includesIncoming === true,
  };
}

/** The node's pool (Geth's namespace txpool): of one sender where the node can select it, else all of it. */
async function readPool(node: ChainNode, address: string): Promise<Found | undefined> {
  const ofSender = await requestIfSupported(node, "txpool_contentFrom", [address]);
  if (isJsonObject(ofSender)) {
    const transactions = [...parseByNonce(ofSender.pending, false), ...parseByNonce(ofSender.queued, true)];
    return { transactions, includesIncoming: false };
  }
  try {
    const all = await requestIfSupported(node, "txpool_content", []);
    if (!isJsonObject(all)) return undefined;
    const bySender = (value: JsonValue | undefined, isQueued: boolean) =>
      isJsonObject(value) ? Object.values(value).flatMap((each) => parseByNonce(each, isQueued)) : [];
    return {
      transactions: [...bySender(all.pending, false), ...bySender(all.queued, true)],
      includesIncoming: true,
    };
  } catch (error) {
    if (error instanceof RpcResponseTooLargeError) return undefined;
    throw error;
  }
}

/** The block that the node would build now; undefined for nodes that return the latest block instead. */
async function readPendingBlock(node: ChainNode): Promise<Found | undefined> {
  const head = await node.getBlockNumber();
  let block: JsonValue | undefined;
  try {
    block = await requestIfSupported(node, "eth_getBlockByNumber", ["pending", true]);
  } catch (error) {
    // Nodes report tags that they do not support with different codes.
    if (error instanceof RpcError) return undefined;
    throw error;
  }
  if (!isJsonObject(block) || !Array.isArray(block.transactions)) return undefined;
  const isPending = typeof block.number !== "string" || parseQuantity(block.number) > head;
  if (!isPending) return undefined;
  const transactions = block.transactions.filter(isJsonObject).map((each) => parsePending(each, false));
  return { transactions, includesIncoming: true };
}

function parseByNonce(value: JsonValue | undefined, isQueued: boolean): PendingTransaction[] {
  if (!isJsonObject(value)) return [];
  return Object.values(value)
    .filter(isJsonObject)
    .map((each) => parsePending(each, isQueued));
}

function parsePending(transaction: JsonObject, isQueued: boolean): PendingTransaction {
  const { to, type, gasPrice, maxFeePerGas, maxPriorityFeePerGas } = transaction;
  const hasMaxFee = typeof maxFeePerGas === "string";
  return {
    hash: parseHash(transaction.hash),
    from: parseAddress(transaction.from),
    to: to ? parseAddress(to) : null,
    value: parseBigQuantity(transaction.value),
    nonce: parseQuantity(transaction.nonce),
    gas: parseBigQuantity(transaction.gas),
    gasPrice: hasMaxFee || typeof gasPrice !== "string" ? null : parseBigQuantity(gasPrice),
    maxFeePerGas: hasMaxFee ? parseBigQuantity(maxFeePerGas) : null,
    maxPriorityFeePerGas:
      typeof maxPriorityFeePerGas === "string" ? parseBigQuantity(maxPriorityFeePerGas) : null,
    type: type === undefined || type === null ? 0 : parseQuantity(type),
    input: parseBytes(transaction.input ?? transaction.data),
    isQueued,
  };
}

import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";
import { type BlockRow, type LogRow, MAX_INDEX, positionOf, type TransactionRow } from "../model/rows.ts";
import { bloomOf } from "./bloom.ts";
import { address, bigQuantity, bytes, hash, hex, quantity } from "./quantities.ts";
import type { Rpc, RpcCall, RpcOutcome } from "./rpc.ts";
import { LyingNode, RpcTooLarge } from "./rpcErrors.ts";

/** A block with all that happened in it. */
export interface FullBlock {
  block: BlockRow;
  transactions: TransactionRow[];
  /** In their order; whether they are transfers has not been looked at. */
  logs: Omit<LogRow, "isErc20">[];
}

/** Reads whole blocks with their receipts. */
export class BlockReader {
  readonly #rpc: Rpc;
  /** Whether the nodes know eth_getBlockReceipts; undefined until one was asked. */
  #byBlock: boolean | undefined;

  constructor(rpc: Rpc) {
    this.#rpc = rpc;
  }

  /**
   * The blocks of a range, both ends included, up to the first that is missing or whose receipts are of another block
   * with its number: then the chain is just changing. Rejects with LyingNode where they contradict themselves.
   */
  async read(from: number, to: number): Promise<FullBlock[]> {
    const numbers = Array.from({ length: to - from + 1 }, (_, i) => hex(from + i));
    const [heads, receipts] = await Promise.all([
      this.#rpc.batch(numbers.map((number) => ({ method: "eth_getBlockByNumber", params: [number, true] }))),
      this.#byBlock === false ? undefined : this.#receiptsByBlock(numbers),
    ]);
    const blocks = heads.map(resultOf);
    const lists = receipts ?? (await this.#receiptsByTransaction(blocks));
    const read: FullBlock[] = [];
    for (const [i, block] of blocks.entries()) {
      if (block === null || block === undefined) break;
      const full = fullBlock(block, lists[i], from + i);
      if (!full) break;
      read.push(full);
    }
    return read;
  }

  /** undefined where the nodes do not know the method. */
  async #receiptsByBlock(numbers: string[]): Promise<JsonValue[] | undefined> {
    // One block tells whether the others need be asked for.
    if (this.#byBlock === undefined && numbers.length > 1) {
      const first = await this.#receiptsByBlock(numbers.slice(0, 1));
      if (!first) return undefined;
    }
    const calls = numbers.map((number) => ({ method: "eth_getBlockReceipts", params: [number] }));
    const outcomes = await this.#rpc.batch(calls);
    if (outcomes.some(isUnknownMethod)) {
      this.#byBlock = false;
      return undefined;
    }
    this.#byBlock = true;
    return outcomes.map((outcome) => {
      // Nodes behind one address may differ: one does not have the newest block yet.
      if ("error" in outcome && /not found|unknown block/i.test(outcome.error.message)) return null;
      return resultOf(outcome);
    });
  }

  async #receiptsByTransaction(blocks: JsonValue[]): Promise<JsonValue[]> {
    const hashes = blocks.map((block) => {
      const list = isJsonObject(block) && Array.isArray(block.transactions) ? block.transactions : [];
      return list.map((each) => (isJsonObject(each) ? (each.hash ?? null) : null));
    });
    const calls = hashes.flat().map((each) => ({ method: "eth_getTransactionReceipt", params: [each] }));
    const receipts = (await this.#inParts(calls)).map(resultOf).values();
    return hashes.map((list) => list.map(() => receipts.next().value ?? null));
  }

  /** Receipts may be of many logs: those of one block, too, are asked for in smaller parts where they are too large. */
  async #inParts(calls: RpcCall[]): Promise<RpcOutcome[]> {
    try {
      return await this.#rpc.batch(calls);
    } catch (error) {
      if (!(error instanceof RpcTooLarge) || calls.length <= 1) throw error;
      const half = calls.length >> 1;
      return [...(await this.#inParts(calls.slice(0, half))), ...(await this.#inParts(calls.slice(half)))];
    }
  }
}

function resultOf(outcome: RpcOutcome): JsonValue {
  if ("error" in outcome) throw outcome.error;
  return outcome.result;
}

/** How nodes say that they do not know a method: -32601 (JSON-RPC 2.0), or in words. */
function isUnknownMethod(outcome: RpcOutcome): boolean {
  if (!("error" in outcome)) return false;
  const { code, message } = outcome.error;
  return (
    code === -32_601 ||
    /method.*(not (found|supported|available|exist|whitelisted)|unsupported)/i.test(message)
  );
}

/**
 * A block with its receipts as the node tells them; undefined where the receipts are not (or no longer) those of the
 * block. `firstIndex` is that of the first transaction, where the others were left out. Throws LyingNode.
 */
export function fullBlock(
  block: JsonValue,
  receipts: JsonValue | undefined,
  asked: number,
  firstIndex = 0,
): FullBlock | undefined {
  if (!isJsonObject(block) || !Array.isArray(block.transactions)) {
    throw new LyingNode(`block ${asked} has no list of transactions`);
  }
  const row = blockRow(block, asked);
  if (!Array.isArray(receipts)) return undefined;
  const { transactions } = block;
  if (receipts.length !== transactions.length) {
    if (receipts.some((each) => isJsonObject(each) && each.blockHash !== block.hash)) return undefined;
    throw new LyingNode(
      `block ${asked} has ${transactions.length} transactions and ${receipts.length} receipts`,
    );
  }
  if (receipts.some((each) => !isJsonObject(each) || hash(each.blockHash) !== row.hash)) return undefined;
  const full: FullBlock = { block: row, transactions: [], logs: [] };
  for (const [i, transaction] of transactions.entries()) {
    const receipt = receipts[i];
    const index = firstIndex + i;
    if (!isJsonObject(transaction) || !isJsonObject(receipt)) {
      throw new LyingNode(`transaction ${index} of block ${asked} is not an object`);
    }
    const own = transactionRow(transaction, receipt, asked, index);
    full.transactions.push(own);
    if (!Array.isArray(receipt.logs)) throw new LyingNode(`a receipt of block ${asked} has no logs`);
    for (const log of receipt.logs) full.logs.push(logRow(log, row, own, index));
  }
  checkOrder(full.logs, asked);
  checkBloom(block, receipts, full.logs, asked);
  return full;
}

/** A block's head; `asked` is the number that it must have. */
export function blockRow(block: JsonObject, asked: number | undefined): BlockRow {
  const number = quantity(block.number);
  if (asked !== undefined && number !== asked)
    throw new LyingNode(`block ${asked} was asked for and ${number} came`);
  return {
    number,
    hash: hash(block.hash),
    parentHash: hash(block.parentHash),
    timestamp: quantity(block.timestamp),
  };
}

function transactionRow(
  transaction: JsonObject,
  receipt: JsonObject,
  block: number,
  index: number,
): TransactionRow {
  const own = hash(transaction.hash);
  if (
    index > MAX_INDEX ||
    quantity(transaction.transactionIndex) !== index ||
    hash(receipt.transactionHash) !== own
  ) {
    throw new LyingNode(`transaction ${index} of block ${block} and its receipt do not fit together`);
  }
  return {
    position: positionOf(block, index),
    hash: own,
    from: address(transaction.from),
    to: transaction.to ? address(transaction.to) : null,
    value: bigQuantity(transaction.value),
    nonce: quantity(transaction.nonce),
    gas: bigQuantity(transaction.gas),
    gasPrice: bigQuantity(transaction.gasPrice ?? receipt.effectiveGasPrice ?? "0x0"),
    input: bytes(transaction.input ?? transaction.data),
    status: receipt.status ? quantity(receipt.status) : null,
    cumulativeGasUsed: bigQuantity(receipt.cumulativeGasUsed),
    gasUsed: bigQuantity(receipt.gasUsed),
    contract: receipt.contractAddress ? address(receipt.contractAddress) : null,
    root: receipt.root ? bytes(receipt.root) : null,
  };
}

function logRow(
  log: JsonValue,
  block: BlockRow,
  transaction: TransactionRow,
  transactionIndex: number,
): Omit<LogRow, "isErc20"> {
  if (!isJsonObject(log) || !Array.isArray(log.topics) || log.topics.length > 4) {
    throw new LyingNode(`a log of block ${block.number} is not one`);
  }
  // Nearly always the very same text: it need not be read again.
  const isOfBlock = log.blockHash === block.hash || hash(log.blockHash) === block.hash;
  if (!isOfBlock || quantity(log.transactionIndex) !== transactionIndex) {
    throw new LyingNode(`a log of block ${block.number} is of another block or transaction`);
  }
  const index = quantity(log.logIndex);
  if (index > MAX_INDEX) throw new LyingNode(`block ${block.number} has more logs than a block can have`);
  return {
    position: positionOf(block.number, index),
    transactionIndex,
    transactionHash: log.transactionHash === transaction.hash ? transaction.hash : hash(log.transactionHash),
    address: address(log.address),
    topics: log.topics.map(hash),
    data: bytes(log.data),
  };
}

function checkOrder(logs: readonly { position: number }[], block: number): void {
  for (let i = 1; i < logs.length; i++) {
    if ((logs[i]?.position ?? 0) <= (logs[i - 1]?.position ?? 0))
      throw new LyingNode(`the logs of block ${block} are not in their order`);
  }
}

const NO_BITS = /^0x0*$/;

/** The header tells which logs there are. Chains without blooms leave them empty everywhere. */
function checkBloom(block: JsonObject, receipts: JsonValue[], logs: FullBlock["logs"], number: number): void {
  if (typeof block.logsBloom !== "string") return;
  const bloom = block.logsBloom.toLowerCase();
  if (NO_BITS.test(bloom)) {
    const alsoInReceipts = receipts.every(
      (each) => !isJsonObject(each) || typeof each.logsBloom !== "string" || NO_BITS.test(each.logsBloom),
    );
    if (alsoInReceipts) return;
  }
  if (bloomOf(logs) !== bloom) {
    throw new LyingNode(`the logs of block ${number} are not those that its header tells of`);
  }
}

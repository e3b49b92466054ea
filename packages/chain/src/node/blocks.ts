import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";
import { type BlockRow, MAX_INDEX, positionOf, type RawLog, type TransactionRow } from "../model/rows.ts";
import type { BlockVerifier, ReturnedBlock } from "./blockVerifier.ts";
import { bloomOf } from "./bloom.ts";
import type { Endpoint } from "./nodeFailover.ts";
import {
  parseAddress,
  parseBigQuantity,
  parseBytes,
  parseHash,
  parseQuantity,
  toHexQuantity,
} from "./quantities.ts";
import { type Rpc, type RpcCall, type RpcResult, unwrapResult } from "./rpc.ts";
import { InvalidNodeDataError, isUnsupportedMethod, RpcResponseTooLargeError } from "./rpcErrors.ts";
import { parseFees } from "./transactionDetails.ts";

/** A block with its transactions and logs. */
export interface FullBlock {
  block: BlockRow;
  transactions: TransactionRow[];
  /** In log order; not yet decoded. */
  logs: RawLog[];
}

/** Reads full blocks with their receipts. */
export class BlockReader {
  readonly #rpc: Rpc;
  #verifier: BlockVerifier | undefined;
  /** Whether the nodes support eth_getBlockReceipts; undefined before the first call. */
  #supportsBlockReceipts: boolean | undefined;

  constructor(rpc: Rpc) {
    this.#rpc = rpc;
  }

  /**
   * Returns the blocks of a range, both ends included, up to the first block that is missing or whose receipts belong
   * to another block of that number, as during a reorganization. Rejects with InvalidNodeDataError for contradictory
   * data; `served` receives the nodes that responded.
   */
  async read(from: number, to: number, served?: Set<Endpoint>): Promise<FullBlock[]> {
    const numbers = Array.from({ length: to - from + 1 }, (_, i) => toHexQuantity(from + i));
    const [blockResults, receipts] = await Promise.all([
      this.#rpc.batch(
        numbers.map((number) => ({ method: "eth_getBlockByNumber", params: [number, true] })),
        {
          served,
        },
      ),
      this.#supportsBlockReceipts === false ? undefined : this.#receiptsByBlock(numbers, served),
    ]);
    const blocks = blockResults.map(unwrapResult);
    const lists = receipts ?? (await this.#receiptsByTransaction(blocks, served));
    const read: FullBlock[] = [];
    const returned: ReturnedBlock[] = [];
    for (const [i, block] of blocks.entries()) {
      if (block === null || block === undefined) break;
      const full = parseBlock(block, lists[i], from + i);
      if (!full) break;
      read.push(full);
      if (this.#verifier) returned.push(returnedBlock(full, block, lists[i]));
    }
    this.#verifier?.verify(returned);
    return read;
  }

  /** Verifies the blocks that are read from now on. */
  verifyWith(verifier: BlockVerifier): void {
    this.#verifier = verifier;
  }

  /** undefined if the nodes do not support the method. */
  async #receiptsByBlock(numbers: string[], served?: Set<Endpoint>): Promise<JsonValue[] | undefined> {
    // One block is enough to find out whether the method is supported.
    if (this.#supportsBlockReceipts === undefined && numbers.length > 1) {
      const first = await this.#receiptsByBlock(numbers.slice(0, 1), served);
      if (!first) return undefined;
    }
    const calls = numbers.map((number) => ({ method: "eth_getBlockReceipts", params: [number] }));
    const results = await this.#rpc.batch(calls, { served });
    if (results.some((result) => "error" in result && isUnsupportedMethod(result.error))) {
      this.#supportsBlockReceipts = false;
      return undefined;
    }
    this.#supportsBlockReceipts = true;
    return results.map((result) => {
      // Nodes behind one URL may differ: some do not have the latest block yet.
      if ("error" in result && /not found|unknown block/i.test(result.error.message)) return null;
      return unwrapResult(result);
    });
  }

  async #receiptsByTransaction(blocks: JsonValue[], served?: Set<Endpoint>): Promise<JsonValue[]> {
    const hashes = blocks.map((block) => {
      const list = isJsonObject(block) && Array.isArray(block.transactions) ? block.transactions : [];
      return list.map((each) => (isJsonObject(each) ? (each.hash ?? null) : null));
    });
    const calls = hashes.flat().map((each) => ({ method: "eth_getTransactionReceipt", params: [each] }));
    const receipts = (await this.#batchWithSplitting(calls, served)).map(unwrapResult).values();
    return hashes.map((list) => list.map(() => receipts.next().value ?? null));
  }

  /** Receipts can contain many logs: a response that is too large is requested again in smaller batches. */
  async #batchWithSplitting(calls: RpcCall[], served?: Set<Endpoint>): Promise<RpcResult[]> {
    try {
      return await this.#rpc.batch(calls, { served });
    } catch (error) {
      if (!(error instanceof RpcResponseTooLargeError) || calls.length <= 1) throw error;
      const half = calls.length >> 1;
      return [
        ...(await this.#batchWithSplitting(calls.slice(0, half), served)),
        ...(await this.#batchWithSplitting(calls.slice(half), served)),
      ];
    }
  }
}

function returnedBlock(
  { block: { number, hash, timestamp } }: FullBlock,
  block: JsonValue,
  receipts: JsonValue | undefined,
): ReturnedBlock {
  const fields = isJsonObject(block) ? block : {};
  return {
    ...{ number, hash, timestamp, block: fields },
    transactions: Array.isArray(fields.transactions) ? fields.transactions.filter(isJsonObject) : [],
    receipts: Array.isArray(receipts) ? receipts.filter(isJsonObject) : [],
  };
}

/**
 * Parses a block and its receipts; undefined if the receipts do not (or no longer) belong to the block. `firstIndex`
 * is the index of the first transaction if the ones before are omitted. Throws InvalidNodeDataError.
 */
export function parseBlock(
  block: JsonValue,
  receipts: JsonValue | undefined,
  expectedNumber: number,
  firstIndex = 0,
): FullBlock | undefined {
  if (!isJsonObject(block) || !Array.isArray(block.transactions)) {
    throw new InvalidNodeDataError(`block ${expectedNumber} has no list of transactions`);
  }
  const row = parseBlockHeader(block, expectedNumber);
  if (!Array.isArray(receipts)) return undefined;
  const { transactions } = block;
  if (receipts.length !== transactions.length) {
    if (receipts.some((each) => isJsonObject(each) && each.blockHash !== block.hash)) return undefined;
    throw new InvalidNodeDataError(
      `block ${expectedNumber} has ${transactions.length} transactions and ${receipts.length} receipts`,
    );
  }
  if (receipts.some((each) => !isJsonObject(each) || parseHash(each.blockHash) !== row.hash))
    return undefined;
  const full: FullBlock = { block: row, transactions: [], logs: [] };
  for (const [i, transaction] of transactions.entries()) {
    const receipt = receipts[i];
    const index = firstIndex + i;
    if (!isJsonObject(transaction) || !isJsonObject(receipt)) {
      throw new InvalidNodeDataError(`transaction ${index} of block ${expectedNumber} is not an object`);
    }
    const parsed = parseTransaction(transaction, receipt, expectedNumber, index);
    full.transactions.push(parsed);
    if (!Array.isArray(receipt.logs))
      throw new InvalidNodeDataError(`a receipt of block ${expectedNumber} has no logs`);
    for (const log of receipt.logs) full.logs.push(parseLog(log, row, parsed, index));
  }
  verifyLogOrder(full.logs, expectedNumber);
  verifyBloom(block, receipts, full.logs, expectedNumber);
  return full;
}

/** Parses a block header; `expectedNumber` is the requested number. */
export function parseBlockHeader(block: JsonObject, expectedNumber: number | undefined): BlockRow {
  const number = parseQuantity(block.number);
  if (expectedNumber !== undefined && number !== expectedNumber)
    throw new InvalidNodeDataError(`requested block ${expectedNumber} but received ${number}`);
  return {
    number,
    hash: parseHash(block.hash),
    parentHash: parseHash(block.parentHash),
    timestamp: parseQuantity(block.timestamp),
  };
}

function parseTransaction(
  transaction: JsonObject,
  receipt: JsonObject,
  block: number,
  index: number,
): TransactionRow {
  const parsed = parseHash(transaction.hash);
  if (
    index > MAX_INDEX ||
    parseQuantity(transaction.transactionIndex) !== index ||
    parseHash(receipt.transactionHash) !== parsed
  ) {
    throw new InvalidNodeDataError(`transaction ${index} of block ${block} and its receipt do not match`);
  }
  return {
    position: positionOf(block, index),
    hash: parsed,
    from: parseAddress(transaction.from),
    to: transaction.to ? parseAddress(transaction.to) : null,
    value: parseBigQuantity(transaction.value),
    nonce: parseQuantity(transaction.nonce),
    gas: parseBigQuantity(transaction.gas),
    gasPrice: parseBigQuantity(transaction.gasPrice ?? receipt.effectiveGasPrice ?? "0x0"),
    input: parseBytes(transaction.input ?? transaction.data),
    status: parseStatus(receipt, parsed),
    cumulativeGasUsed: parseBigQuantity(receipt.cumulativeGasUsed),
    gasUsed: parseBigQuantity(receipt.gasUsed),
    contract: receipt.contractAddress ? parseAddress(receipt.contractAddress) : null,
    root: receipt.root ? parseBytes(receipt.root) : null,
    fees: parseFees(transaction, receipt),
  };
}

/** null for receipts with a state root. Without either, a failed transaction would look like any other. */
function parseStatus({ status, root }: JsonObject, hash: string): number | null {
  if (status) return parseQuantity(status);
  if (root) return null;
  throw new InvalidNodeDataError(`the receipt of transaction ${hash} has neither a status nor a state root`);
}

function parseLog(
  log: JsonValue,
  block: BlockRow,
  transaction: TransactionRow,
  transactionIndex: number,
): RawLog {
  if (!isJsonObject(log) || !Array.isArray(log.topics) || log.topics.length > 4) {
    throw new InvalidNodeDataError(`a log of block ${block.number} is invalid`);
  }
  // Usually identical strings, which are faster to compare than to parse.
  const isOfBlock = log.blockHash === block.hash || parseHash(log.blockHash) === block.hash;
  if (!isOfBlock || parseQuantity(log.transactionIndex) !== transactionIndex) {
    throw new InvalidNodeDataError(`a log of block ${block.number} belongs to another block or transaction`);
  }
  const index = parseQuantity(log.logIndex);
  if (index > MAX_INDEX) throw new InvalidNodeDataError(`block ${block.number} has too many logs`);
  return {
    position: positionOf(block.number, index),
    transactionIndex,
    transactionHash:
      log.transactionHash === transaction.hash ? transaction.hash : parseHash(log.transactionHash),
    address: parseAddress(log.address),
    topics: log.topics.map(parseHash),
    data: parseBytes(log.data),
  };
}

function verifyLogOrder(logs: readonly { position: number }[], block: number): void {
  for (let i = 1; i < logs.length; i++) {
    if ((logs[i]?.position ?? 0) <= (logs[i - 1]?.position ?? 0))
      throw new InvalidNodeDataError(`the logs of block ${block} are not in order`);
  }
}

const NO_BITS = /^0x0*$/;

/** The header commits to the logs of the block. Chains without blooms leave them empty everywhere. */
function verifyBloom(
  block: JsonObject,
  receipts: JsonValue[],
  logs: FullBlock["logs"],
  number: number,
): void {
  if (typeof block.logsBloom !== "string") return;
  const bloom = block.logsBloom.toLowerCase();
  if (NO_BITS.test(bloom)) {
    const receiptsHaveNoBloom = receipts.every(
      (each) => !isJsonObject(each) || typeof each.logsBloom !== "string" || NO_BITS.test(each.logsBloom),
    );
    if (receiptsHaveNoBloom) return;
  }
  if (bloomOf(logs) !== bloom) {
    throw new InvalidNodeDataError(`the logs of block ${number} do not match the bloom filter of its header`);
  }
}

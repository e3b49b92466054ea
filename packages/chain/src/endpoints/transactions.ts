import { isJsonObject, type JsonObject } from "@purse/protocol";
import { decodeKnownCall, decodeKnownEvent } from "../abi/knownEvents.ts";
import { notFound } from "../model/requestErrors.ts";
import {
  type BlockRow,
  indexOf,
  type RawLog,
  type TransactionDetails,
  type TransactionRow,
} from "../model/rows.ts";
import { type FullBlock, parseBlock } from "../node/blocks.ts";
import type { InternalCall } from "../node/internalCalls.ts";
import { parseQuantity } from "../node/quantities.ts";
import { parseWithdrawals } from "../node/transactionDetails.ts";
import { type ChainContext, type SelectChain, selectFullIndex, withNodeErrors } from "./chainContext.ts";
import { readBlockCalls, readInternalCalls } from "./internalCalls.ts";
import { blockFields, isoTime, readList } from "./pagination.ts";
import type { Handlers } from "./routes.ts";

/** Blocks and transactions from the node, and a wallet's transactions from the index. */
export function transactionHandlers(selectChain: SelectChain) {
  return {
    getBlock: async ({ chain: selector, block_number_or_hash: requested, include }) => {
      const chain = selectChain(selector);
      const found = await withNodeErrors(chain, undefined, () => fetchBlock(chain, requested));
      if (!found) throw notFound(`chain "${chain.config.name}" has no block ${requested}`);
      const block = blockToJson(found.raw, found.full);
      if (include === undefined) return block;
      const calls = await readBlockCalls(chain, found.full.block);
      const transactions = block.transactions.map((each) => ({
        ...each,
        internal_transactions: internalCallsToJson(each, calls.get(each.hash) ?? []),
      }));
      return { ...block, transactions };
    },
    getTransaction: async ({ chain: selector, transaction_hash: hash, include }) => {
      const chain = selectChain(selector);
      const found = await withNodeErrors(chain, undefined, () => fetchTransaction(chain, hash));
      if (!found) throw notFound(`chain "${chain.config.name}" has no block with transaction ${hash}`);
      if (include === undefined) return found;
      return { ...found, internal_transactions: await internalTransactions(chain, found) };
    },
    getTransactionVerbose: async ({ chain: selector, transaction_hash: hash, include }) => {
      const chain = selectChain(selector);
      const found = await withNodeErrors(chain, undefined, () => fetchTransaction(chain, hash));
      if (!found) throw notFound(`chain "${chain.config.name}" has no block with transaction ${hash}`);
      const { logs, ...transaction } = found;
      const decoded = decodedTransaction(transaction, logs);
      if (include === undefined) return decoded;
      return { ...decoded, internal_transactions: await internalTransactions(chain, found) };
    },
    getTransactionsVerbose: async ({ chain: selector, address, order, limit, ...parameters }) => {
      const chain = await selectFullIndex(selectChain, selector, "the transactions of an address");
      const { rows, blocks, page } = await readList(
        chain,
        { ...parameters, limit: Math.min(limit, MAX_VERBOSE) },
        (window) => chain.store.transactions(address, window),
        order === "asc",
      );
      const logs = await chain.store.logsOfTransactions(rows.map(({ position }) => position));
      return page(
        rows.map((row) => {
          const block = blockFields(blocks, row.position);
          const own = logs.get(row.position) ?? [];
          return decodedTransaction(
            { ...transactionToJson(row), ...block },
            own.map((log) => ({ ...logToJson(log), ...block })),
          );
        }),
      );
    },
    getInternalTransactions: async ({ chain: selector, transaction_hash: hash }) => {
      const chain = selectChain(selector);
      const found = await withNodeErrors(chain, undefined, () => fetchTransaction(chain, hash));
      if (!found) throw notFound(`chain "${chain.config.name}" has no block with transaction ${hash}`);
      return internalTransactions(chain, found);
    },
    getDateToBlock: async ({ chain: selector, date }) => {
      const chain = selectChain(selector);
      const block = await withNodeErrors(chain, undefined, () => findNearestBlock(chain, date));
      return {
        date: isoTime(block.timestamp).replace(".000Z", "+00:00"),
        block: block.number,
        timestamp: block.timestamp,
      };
    },
    getTransactions: async ({ chain: selector, address, order, ...parameters }) => {
      const chain = await selectFullIndex(selectChain, selector, "the transactions of an address");
      const { rows, blocks, page } = await readList(
        chain,
        parameters,
        (window) => chain.store.transactions(address, window),
        order === "asc",
      );
      return page(rows.map((row) => ({ ...transactionToJson(row), ...blockFields(blocks, row.position) })));
    },
  } satisfies Partial<Handlers>;
}

async function fetchBlock(
  { node }: ChainContext,
  requested: number | string,
): Promise<{ raw: JsonObject; full: FullBlock } | undefined> {
  for (let tries = 0; tries < 3; tries++) {
    const block = requested === "latest" ? await node.getBlockNumber() : requested;
    const raw = await node.getRawBlock(block, true);
    if (!isJsonObject(raw)) return undefined;
    const list = Array.isArray(raw.transactions) ? raw.transactions : [];
    const hashes = list.map((each) => (isJsonObject(each) ? String(each.hash) : ""));
    const full = parseBlock(raw, await node.getReceipts(hashes), parseQuantity(raw.number));
    // Otherwise the chain was reorganized between the two requests.
    if (full) return { raw, full };
  }
  return undefined;
}

async function fetchTransaction({ node }: ChainContext, hash: string) {
  const [found, [receipt]] = await Promise.all([node.getTransaction(hash), node.getReceipts([hash])]);
  if (!isJsonObject(receipt)) return undefined;
  const blockHash = String(receipt.blockHash);
  // A node may say for a moment that a transaction is pending, or unknown, when its receipt is there already.
  const isMined = isJsonObject(found) && found.blockHash;
  const raw = isMined
    ? found
    : await node.getTransactionInBlock(blockHash, parseQuantity(receipt.transactionIndex));
  if (!isJsonObject(raw)) return undefined;
  const block = await node.getRawBlock(blockHash, false);
  if (!isJsonObject(block)) return undefined;
  // Only this transaction: its logs cannot be verified with the header's bloom filter.
  const partialBlock = { ...block, transactions: [raw], logsBloom: null };
  const full = parseBlock(
    partialBlock,
    [receipt],
    parseQuantity(block.number),
    parseQuantity(raw.transactionIndex),
  );
  const [transaction] = full?.transactions ?? [];
  return full && transaction && transactionWithLogs(transaction, full);
}

/** The calls between contracts in a transaction. Rejects with ProtocolError 501 if the node does not trace. */
async function internalTransactions(chain: ChainContext, transaction: TransactionIdentity) {
  return internalCallsToJson(transaction, await readInternalCalls(chain, transaction.hash));
}

interface TransactionIdentity {
  hash: string;
  block_number: string;
  block_hash: string;
}

function internalCallsToJson(
  { hash, block_number, block_hash }: TransactionIdentity,
  calls: readonly InternalCall[],
) {
  return calls.map(({ gasUsed, ...call }) => ({
    transaction_hash: hash,
    block_number,
    block_hash,
    ...call,
    gas_used: gasUsed,
  }));
}

/** Finds the block nearest to a time by binary search; the earlier one if two are equally near. */
async function findNearestBlock(chain: ChainContext, time: number): Promise<BlockRow> {
  const head = await chain.node.getBlockNumber();
  const headerAt = async (number: number): Promise<BlockRow> => {
    const block = (await chain.store.block(number)) ?? (await chain.node.getHeader(number));
    if (!block) throw notFound(`chain "${chain.config.name}" has no block ${number}`);
    return block;
  };
  let low = 0;
  let high = head;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((await headerAt(middle)).timestamp < time) low = middle + 1;
    else high = middle;
  }
  const after = await headerAt(low);
  if (low === 0) return after;
  const before = await headerAt(low - 1);
  return time - before.timestamp <= Math.abs(after.timestamp - time) ? before : after;
}

function blockToJson(raw: JsonObject, full: FullBlock) {
  const text = (name: string) => (typeof raw[name] === "string" ? raw[name] : null);
  const decimal = (name: string) => (typeof raw[name] === "string" ? BigInt(raw[name]).toString() : null);
  const withdrawals = parseWithdrawals(raw);
  return {
    timestamp: isoTime(full.block.timestamp),
    number: String(full.block.number),
    hash: full.block.hash,
    parent_hash: full.block.parentHash,
    nonce: text("nonce"),
    sha3_uncles: text("sha3Uncles"),
    logs_bloom: text("logsBloom"),
    transactions_root: text("transactionsRoot"),
    state_root: text("stateRoot"),
    receipts_root: text("receiptsRoot"),
    miner: text("miner")?.toLowerCase() ?? null,
    difficulty: decimal("difficulty"),
    total_difficulty: decimal("totalDifficulty"),
    size: decimal("size"),
    extra_data: text("extraData"),
    gas_limit: decimal("gasLimit"),
    gas_used: decimal("gasUsed"),
    base_fee_per_gas: decimal("baseFeePerGas"),
    ...(raw.blobGasUsed !== undefined && {
      blob_gas_used: decimal("blobGasUsed"),
      excess_blob_gas: decimal("excessBlobGas"),
    }),
    ...(withdrawals && {
      withdrawals_root: text("withdrawalsRoot"),
      withdrawals: withdrawals.map(({ validatorIndex, ...rest }) => ({
        validator_index: validatorIndex,
        ...rest,
      })),
    }),
    transaction_count: String(full.transactions.length),
    transactions: full.transactions.map((transaction) => transactionWithLogs(transaction, full)),
  };
}

function transactionWithLogs(transaction: TransactionRow, { block, logs }: FullBlock) {
  const blockInfo = blockFields(new Map([[block.number, block]]), transaction.position);
  const index = indexOf(transaction.position);
  return {
    ...transactionToJson(transaction),
    ...blockInfo,
    logs: logs
      .filter((log) => log.transactionIndex === index)
      .map((log) => ({ ...logToJson(log), ...blockInfo })),
  };
}

/** Max transactions whose logs a page has. */
const MAX_VERBOSE = 100;

type LogTopics = Record<"topic0" | "topic1" | "topic2" | "topic3", string | null>;

/** Adds what the call and the logs say, if their function and events are well known. */
function decodedTransaction<
  Transaction extends { input: string; to_address: string | null },
  Log extends LogTopics & { data: string },
>(transaction: Transaction, logs: readonly Log[]) {
  return {
    ...transaction,
    decoded_call: transaction.to_address === null ? null : decodeKnownCall(transaction.input),
    logs: logs.map((log) => {
      const topics = [log.topic0, log.topic1, log.topic2, log.topic3].filter((topic) => topic !== null);
      return { ...log, decoded_event: decodeKnownEvent({ topics, data: log.data }) };
    }),
  };
}

/** Without block fields. */
function transactionToJson(row: TransactionRow) {
  return {
    hash: row.hash,
    nonce: String(row.nonce),
    transaction_index: String(indexOf(row.position)),
    from_address: row.from,
    to_address: row.to,
    value: row.value,
    gas: row.gas,
    gas_price: row.gasPrice,
    input: row.input,
    receipt_cumulative_gas_used: row.cumulativeGasUsed,
    receipt_gas_used: row.gasUsed,
    receipt_contract_address: row.contract,
    receipt_root: row.root,
    receipt_status: row.status === null ? null : String(row.status),
    type: row.fees ? String(row.fees.type) : null,
    max_fee_per_gas: row.fees?.maxFeePerGas ?? null,
    max_priority_fee_per_gas: row.fees?.maxPriorityFeePerGas ?? null,
    effective_gas_price: row.fees?.effectiveGasPrice ?? null,
    ...(row.fees?.details && detailsToJson(row.fees.details)),
  };
}

/** Only what the transaction has. */
function detailsToJson(details: TransactionDetails) {
  const { blobVersionedHashes, authorizations, l1Fee, l1GasPrice, l1GasUsed } = details;
  return {
    ...(blobVersionedHashes && {
      blob_versioned_hashes: blobVersionedHashes,
      max_fee_per_blob_gas: details.maxFeePerBlobGas ?? null,
      blob_gas_used: details.blobGasUsed ?? null,
      blob_gas_price: details.blobGasPrice ?? null,
    }),
    ...(authorizations && {
      authorization_list: authorizations.map(({ chainId, yParity, ...rest }) => ({
        chain_id: chainId,
        ...rest,
        y_parity: String(yParity),
      })),
    }),
    ...(l1Fee !== undefined && { l1_fee: l1Fee }),
    ...(l1GasPrice !== undefined && { l1_gas_price: l1GasPrice }),
    ...(l1GasUsed !== undefined && { l1_gas_used: l1GasUsed }),
  };
}

/** Without block fields. */
function logToJson(log: RawLog) {
  return {
    log_index: String(indexOf(log.position)),
    transaction_hash: log.transactionHash,
    transaction_index: String(log.transactionIndex),
    address: log.address,
    data: log.data,
    ...topicsToJson(log.topics),
  };
}

export function topicsToJson(topics: readonly string[]) {
  return {
    topic0: topics[0] ?? null,
    topic1: topics[1] ?? null,
    topic2: topics[2] ?? null,
    topic3: topics[3] ?? null,
  };
}

import { isJsonObject, type JsonObject } from "@purse/protocol";
import { type BlockRow, indexOf, type LogRow, type TransactionRow } from "../model/rows.ts";
import { type FullBlock, fullBlock } from "../node/blocks.ts";
import { quantity } from "../node/quantities.ts";
import { asked, assertWhole, type ChainOf, type FollowedChain, notFound } from "./chainContext.ts";
import { isoTime, placeOf, readList } from "./lists.ts";
import { routeOf } from "./routes.ts";

/** Blocks and transactions as the node has them, and those of a wallet from the index. */
export function transactionRoutes(chainOf: ChainOf) {
  return [
    routeOf("getBlock", async ({ chain: selector, block_number_or_hash: wanted }) => {
      const chain = chainOf(selector);
      const found = await asked(chain, undefined, () => readBlock(chain, wanted));
      if (!found) throw notFound(`chain "${chain.config.name}" has no block ${wanted}`);
      return blockObject(found.raw, found.full);
    }),
    routeOf("getTransaction", async ({ chain: selector, transaction_hash: hash }) => {
      const chain = chainOf(selector);
      const found = await asked(chain, undefined, () => readTransaction(chain, hash));
      if (!found) throw notFound(`chain "${chain.config.name}" has no block with transaction ${hash}`);
      return found;
    }),
    routeOf("getDateToBlock", async ({ chain: selector, date }) => {
      const chain = chainOf(selector);
      const block = await asked(chain, undefined, () => nearestBlock(chain, date));
      return {
        date: isoTime(block.timestamp).replace(".000Z", "+00:00"),
        block: block.number,
        timestamp: block.timestamp,
      };
    }),
    routeOf("getTransactions", async ({ chain: selector, address, ...parameters }) => {
      const chain = chainOf(selector);
      await assertWhole(chain, "the transactions of an address");
      const { rows, blocks, page } = await readList(chain, parameters, (window) =>
        chain.store.transactions(address, window),
      );
      return page(rows.map((row) => ({ ...transactionObject(row), ...placeOf(blocks, row.position) })));
    }),
  ];
}

async function readBlock(
  { node }: FollowedChain,
  wanted: number | string,
): Promise<{ raw: JsonObject; full: FullBlock } | undefined> {
  for (let tries = 0; tries < 3; tries++) {
    const block = wanted === "latest" ? await node.headNumber() : wanted;
    const raw = await node.rawBlock(block, true);
    if (!isJsonObject(raw)) return undefined;
    const list = Array.isArray(raw.transactions) ? raw.transactions : [];
    const hashes = list.map((each) => (isJsonObject(each) ? String(each.hash) : ""));
    const full = fullBlock(raw, await node.receipts(hashes), quantity(raw.number));
    // Otherwise the chain was reorganised between the two questions.
    if (full) return { raw, full };
  }
  return undefined;
}

async function readTransaction({ node }: FollowedChain, hash: string): Promise<JsonObject | undefined> {
  const [raw, [receipt]] = await Promise.all([node.transaction(hash), node.receipts([hash])]);
  if (!isJsonObject(raw) || !isJsonObject(receipt) || !raw.blockHash) return undefined;
  const block = await node.rawBlock(String(raw.blockHash), false);
  if (!isJsonObject(block)) return undefined;
  // The block with this transaction only: its logs cannot be held against the header's bloom.
  const alone = { ...block, transactions: [raw], logsBloom: null };
  const full = fullBlock(alone, [receipt], quantity(block.number), quantity(raw.transactionIndex));
  const [transaction] = full?.transactions ?? [];
  return full && transaction && withLogs(transaction, full);
}

/** The block whose time is nearest, the earlier of two. By halving, as times never fall. */
async function nearestBlock(chain: FollowedChain, time: number): Promise<BlockRow> {
  const head = await chain.node.headNumber();
  const at = async (number: number): Promise<BlockRow> => {
    const block = (await chain.store.block(number)) ?? (await chain.node.head(number));
    if (!block) throw notFound(`chain "${chain.config.name}" has no block ${number}`);
    return block;
  };
  let low = 0;
  let high = head;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((await at(middle)).timestamp < time) low = middle + 1;
    else high = middle;
  }
  const after = await at(low);
  if (low === 0) return after;
  const before = await at(low - 1);
  return time - before.timestamp <= Math.abs(after.timestamp - time) ? before : after;
}

function blockObject(raw: JsonObject, full: FullBlock): JsonObject {
  const text = (name: string) => (typeof raw[name] === "string" ? raw[name] : null);
  const decimal = (name: string) => (typeof raw[name] === "string" ? BigInt(raw[name]).toString() : null);
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
    transaction_count: String(full.transactions.length),
    transactions: full.transactions.map((transaction) => withLogs(transaction, full)),
  };
}

function withLogs(transaction: TransactionRow, { block, logs }: FullBlock): JsonObject {
  const place = placeOf(new Map([[block.number, block]]), transaction.position);
  const index = indexOf(transaction.position);
  return {
    ...transactionObject(transaction),
    ...place,
    logs: logs
      .filter((log) => log.transactionIndex === index)
      .map((log) => ({ ...logObject(log), ...place })),
  };
}

/** Without its place in the chain. */
function transactionObject(row: TransactionRow) {
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
  };
}

/** Without its place in the chain. */
function logObject(log: Omit<LogRow, "isErc20">): JsonObject {
  return {
    log_index: String(indexOf(log.position)),
    transaction_hash: log.transactionHash,
    transaction_index: String(log.transactionIndex),
    address: log.address,
    data: log.data,
    ...topicsObject(log.topics),
  };
}

export function topicsObject(topics: readonly string[]) {
  return {
    topic0: topics[0] ?? null,
    topic1: topics[1] ?? null,
    topic2: topics[2] ?? null,
    topic3: topics[3] ?? null,
  };
}

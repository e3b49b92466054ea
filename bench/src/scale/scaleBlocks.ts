/* The blocks of the simulated chain as the indexer's writer takes them. */
import { USER_OPERATION_TOPIC } from "../../../packages/chain/src/decode/userOperations/userOperationLog.ts";
import {
  type BlockRow,
  type BlockRows,
  type DiscoveredToken,
  emptyBlockRows,
  NULL_ADDRESS,
  positionOf,
} from "../../../packages/chain/src/model/rows.ts";
import { APPROVAL_TOPIC, addressTopic, TRANSFER_TOPIC } from "../../../packages/chain/src/model/topics.ts";
import {
  APPROVALS,
  addressOf,
  FIXED,
  GENESIS_TIME,
  INTERNAL_TRANSFERS,
  ITEM_ID,
  LOG_INDEX,
  OPERATION_INDEX,
  OPERATION_INPUT,
  RARE_BLOCKS,
  SECONDS_PER_BLOCK,
  shape,
  TRANSACTIONS,
  TRANSFERS,
  wordOf,
} from "./scaleShape.ts";

const wallet = (n: number) => addressOf("wallet", n);
const token = (n: number) => addressOf("token", n);

export function blockRow(number: number): BlockRow {
  return {
    ...{ number, hash: wordOf("block", number), parentHash: wordOf("block", number - 1) },
    timestamp: GENESIS_TIME + number * SECONDS_PER_BLOCK,
  };
}

/** The blocks from `from` up to `to`, exclusive, and the tokens that are not in `known`, which it adds there. */
export function createBlocks(from: number, to: number, known: Map<string, number>) {
  const rows: BlockRows & { internalTransfers: NonNullable<BlockRows["internalTransfers"]> } = {
    ...emptyBlockRows(),
    internalTransfers: [],
  };
  for (let block = from; block < to; block++) {
    rows.blocks.push(blockRow(block));
    for (let i = 0; i < TRANSACTIONS; i++) addTransaction(rows, block, i);
    for (let i = 0; i < TRANSFERS; i++) addTransfer(rows, block, i);
    for (let i = 0; i < APPROVALS; i++) addApproval(rows, block, i);
    for (let i = 0; i < INTERNAL_TRANSFERS; i++) addInternalTransfer(rows.internalTransfers, block, i);
    addNft(rows, block);
    if (block % RARE_BLOCKS === 0) addRare(rows, block);
  }
  const tokens: DiscoveredToken[] = [];
  const add = (address: string, standard: 20 | 721 | 1155, position: number) => {
    if (known.has(address)) return;
    known.set(address, standard);
    tokens.push({ address, standard, position });
  };
  for (const { address, isErc20, position } of rows.logs) if (isErc20) add(address, 20, position);
  for (const { token: address, standard, position } of rows.nftTransfers) add(address, standard, position);
  return { rows, tokens };
}

function addTransaction(rows: BlockRows, block: number, i: number): void {
  const n = block * TRANSACTIONS + i;
  rows.transactions.push({
    ...{ position: positionOf(block, i), hash: wordOf("transaction", n) },
    ...{ from: wallet(shape.sender(n)), to: token(shape.called(n)), value: "0", nonce: n % 1_000 },
    ...{ gas: "65000", gasPrice: String(20_000_000_000 + (n % 1_000)) },
    input: `0xa9059cbb${wordOf("input", n).slice(2)}`,
    ...{
      status: 1,
      cumulativeGasUsed: String(65_000 * (i + 1)),
      gasUsed: "52000",
      contract: null,
      root: null,
    },
    fees: fees(),
  });
}

function fees() {
  return {
    ...{ type: 2, maxFeePerGas: "30000000000", maxPriorityFeePerGas: "1000000000" },
    ...{ effectiveGasPrice: "20000000000", details: null },
  };
}

/** The transaction of the `part`-th of so many events of a block. */
function transactionAt(block: number, index: number) {
  return { transactionIndex: index, transactionHash: wordOf("transaction", block * TRANSACTIONS + index) };
}

function addTransfer(rows: BlockRows, block: number, i: number): void {
  const n = block * TRANSFERS + i;
  const of = shape.token(n);
  rows.logs.push({
    position: positionOf(block, i),
    ...transactionAt(block, Math.floor(i / (TRANSFERS / TRANSACTIONS))),
    address: token(of),
    topics: [TRANSFER_TOPIC, addressTopic(wallet(shape.from(n, of))), addressTopic(wallet(shape.to(n, of)))],
    data: word(shape.amount(n)),
    isErc20: true,
  });
}

function addApproval(rows: BlockRows, block: number, i: number): void {
  const n = block * TRANSACTIONS + i;
  rows.logs.push({
    ...{ position: positionOf(block, LOG_INDEX.approval + i), ...transactionAt(block, i) },
    address: token(shape.called(n)),
    topics: [APPROVAL_TOPIC, addressTopic(wallet(shape.sender(n))), addressTopic(FIXED.marketplace)],
    ...{ data: word(n), isErc20: false },
  });
}

function addInternalTransfer(rows: NonNullable<BlockRows["internalTransfers"]>, block: number, i: number) {
  const n = block * TRANSACTIONS + i;
  rows.push({
    ...{ position: positionOf(block, i), part: 0, from: token(shape.called(n)) },
    ...{ to: wallet(shape.coinReceiver(n)), value: String(n), isCreation: false },
  });
}

/** A mint, and a transfer to another owner. */
function addNft(rows: BlockRows, block: number): void {
  const [minter, collector] = [shape.minter(block), shape.collector(block)].map(wallet);
  const parties = [NULL_ADDRESS, minter, collector];
  for (const i of [0, 1])
    rows.nftTransfers.push({
      ...{ position: positionOf(block, LOG_INDEX.nft + i), part: 0, ...transactionAt(block, i) },
      ...{ token: addressOf("collection", shape.collection(block)), tokenId: word(block), standard: 721 },
      ...{ isBatch: false, operator: null, from: parties[i] ?? "", to: parties[i + 1] ?? "", amount: "1" },
    });
}

function addRare(rows: BlockRows, block: number): void {
  rows.trades.push({
    ...{ position: positionOf(block, LOG_INDEX.sale), ...transactionAt(block, 1) },
    ...{ token: addressOf("collection", shape.collection(block)), marketplace: FIXED.marketplace },
    ...{
      seller: wallet(shape.minter(block)),
      buyer: wallet(shape.collector(block)),
      price: word(1_000_000 + block),
    },
    ...{ priceToken: null, tokenIds: [String(block)] },
  });
  rows.nftTransfers.push({
    ...{ position: positionOf(block, LOG_INDEX.item), part: 0, ...transactionAt(block, 2) },
    ...{
      token: FIXED.items,
      tokenId: word(ITEM_ID),
      standard: 1155,
      isBatch: false,
      operator: FIXED.bundler,
    },
    ...{ from: NULL_ADDRESS, to: wallet(shape.itemReceiver(block)), amount: "3" },
  });
  const account = addressTopic(wallet(shape.account(block)));
  const transactionHash = wordOf("operation", block);
  rows.transactions.push({
    ...{ position: positionOf(block, OPERATION_INDEX), hash: transactionHash },
    ...{
      from: FIXED.bundler,
      to: FIXED.entryPoint,
      value: "0",
      nonce: block,
      gas: "300000",
      gasPrice: "20000000000",
    },
    input: OPERATION_INPUT.before + account.slice(2) + word(block).slice(2) + OPERATION_INPUT.after.slice(2),
    ...{
      status: 1,
      cumulativeGasUsed: "3000000",
      gasUsed: "200000",
      contract: null,
      root: null,
      fees: fees(),
    },
  });
  rows.logs.push({
    ...{
      position: positionOf(block, LOG_INDEX.operation),
      transactionIndex: OPERATION_INDEX,
      transactionHash,
    },
    address: FIXED.entryPoint,
    topics: [USER_OPERATION_TOPIC, wordOf("account", block), account, word(0)],
    data: `0x${[block, 1, 1, 1].map((value) => word(value).slice(2)).join("")}`,
    isErc20: false,
  });
}

function word(number: number): string {
  return `0x${number.toString(16).padStart(64, "0")}`;
}

/*
 * Measures pages of every list operation of the data API that needs no node, for lists of one length. Used by
 * chainLists.ts.
 */
import { createChainService } from "@purse/chain";
import postgres from "postgres";
import { encodeFunctionData, erc20Abi, parseAbi } from "viem";
import { USER_OPERATION_TOPIC } from "../../packages/chain/src/decode/userOperations/userOperationLog.ts";
import { type BlockRows, positionOf } from "../../packages/chain/src/model/rows.ts";
import { addressTopic, TRANSFER_TOPIC } from "../../packages/chain/src/model/topics.ts";
import { fillIndex, transferLog, word } from "../../packages/chain/test/fillIndex.ts";
import { quantile } from "./quantile.ts";

type Database = Parameters<typeof createChainService>[0]["database"];

const CHAIN = 998;
const PER_BLOCK = 50;
const ROUNDS = 7;
const PAGE = 200;
const OFFSET = 100_000;
const NODE = "http://127.0.0.1:9";
const address = (digits: string) => `0x${digits.repeat(20)}` as const;
const WALLET = address("a1");
const TOKEN = address("e1");
const COLLECTION = address("e2");
const ITEMS = address("e3");
const MARKET = address("e4");
const ENTRY_POINT = address("e5");
const BUNDLER = address("e6");
const NONE = `0x${"0".repeat(40)}`;
/** Stands for the nonce in HANDLE_OPS. */
const NONCE = 2n ** 255n + 7n;
/** A call of an EntryPoint with one user operation: a transfer of tokens by a smart account. */
const HANDLE_OPS = encodeHandleOps();
const silent = { debug() {}, info() {}, warn() {}, error() {} };
/** The event of ERC-20 transfers, as `getContractEvents` takes it. */
export const transferAbi = {
  type: "event",
  name: "Transfer",
  inputs: [
    { type: "address", name: "from", indexed: true },
    { type: "address", name: "to", indexed: true },
    { type: "uint256", name: "value" },
  ],
};

interface Operation {
  name: string;
  parameters: Record<string, unknown>;
  hasOffset?: boolean;
}

/** All lists have the same length. */
const OPERATIONS: readonly Operation[] = [
  { name: "getTransactions", parameters: { address: WALLET }, hasOffset: true },
  { name: "getTokenTransfers", parameters: { address: WALLET }, hasOffset: true },
  { name: "getTokenAddressTransfers", parameters: { address: TOKEN }, hasOffset: true },
  {
    name: "getContractEvents",
    parameters: { address: TOKEN, topic: TRANSFER_TOPIC, abi: transferAbi },
    hasOffset: true,
  },
  { name: "getUserOperations", parameters: { sender: WALLET }, hasOffset: true },
  { name: "getLogsByAddress", parameters: { address: TOKEN } },
  { name: "getLogsByAddress", parameters: { address: TOKEN, topic0: TRANSFER_TOPIC } },
  {
    name: "getLogsByAddress",
    parameters: { address: TOKEN, topic0: TRANSFER_TOPIC, topic1: addressTopic(WALLET) },
  },
  { name: "getNFTTransfers", parameters: { address: WALLET } },
  { name: "getContractNFTTransfers", parameters: { address: COLLECTION } },
  { name: "getWalletTokenIdTransfers", parameters: { address: ITEMS, token_id: "7" } },
  { name: "getNftTransfersFromToBlock", parameters: { from_block: 0 } },
  { name: "getNFTs", parameters: { address: WALLET } },
  { name: "getNFTsForContract", parameters: { address: WALLET, token_address: COLLECTION } },
  { name: "getNFTOwners", parameters: { address: COLLECTION } },
  { name: "getAllTokenIds", parameters: { address: COLLECTION } },
  { name: "getTokenIdOwners", parameters: { address: ITEMS, token_id: "7" } },
  { name: "getNFTTrades", parameters: { address: COLLECTION } },
  { name: "getWalletHistory", parameters: { address: WALLET, limit: 100 } },
];

/** Fills an index and measures all operations, or those with a name; returns a row of cells for each. */
export async function measureOperations(
  database: Database,
  rows: number,
  only?: string,
): Promise<string[][]> {
  await fill(database, rows);
  const service = createChainService({
    chains: [
      {
        id: CHAIN,
        name: "bench",
        aliases: ["eth"],
        rpcUrls: [NODE],
        market: { marketplaces: [{ name: "opensea", address: MARKET }] },
        entryPoints: [{ version: "0.7", address: ENTRY_POINT }],
      },
    ],
    database,
    log: silent,
  });
  await service.start();
  const run = async ({ name, parameters }: Operation, more: Record<string, unknown>) => {
    const route = service.routes.find(({ functionName }) => functionName === name);
    const startedAt = performance.now();
    const response: unknown = await route?.run({ chain: String(CHAIN), limit: PAGE, ...parameters, ...more });
    const ms = performance.now() - startedAt;
    const { cursor = "" }: { cursor?: unknown } = Object(response);
    return { ms, cursor: String(cursor) };
  };
  try {
    const measured: string[][] = [];
    for (const operation of OPERATIONS) {
      if (only !== undefined && operation.name !== only) continue;
      await run(operation, { limit: 1 });
      const first = await median(() => run(operation, {}));
      const [lastPages, startedAt]: [number[], number] = [[], performance.now()];
      let middle = "";
      let { cursor } = await run(operation, {});
      for (let page = 2; cursor !== ""; page++) {
        if (page === 1_000) middle = cursor;
        const read = await run(operation, { cursor });
        lastPages.push(read.ms);
        cursor = read.cursor;
      }
      const exportSeconds = (performance.now() - startedAt) / 1_000;
      const thousandth = middle === "" ? undefined : await median(() => run(operation, { cursor: middle }));
      const offset = operation.hasOffset ? await median(() => run(operation, { offset: OFFSET })) : undefined;
      const filters = Object.keys(operation.parameters).filter((key) => key.startsWith("topic")).length;
      const name = `${operation.name}${operation.name === "getLogsByAddress" && filters > 0 ? `, ${filters} topics` : ""}`;
      const [last, seconds] = [quantile(lastPages.slice(-100), 0.5), exportSeconds].map((time) =>
        time.toFixed(1),
      );
      measured.push([name, first, thousandth ?? "", offset ?? "", last ?? "", seconds ?? ""]);
      console.log(measured.at(-1)?.join(" | "));
    }
    return measured;
  } finally {
    await service.stop();
  }
}

/** The median in ms, and in parentheses the CPU time of this process with its threads. */
async function median(once: () => Promise<{ ms: number }>): Promise<string> {
  const durations: number[] = [];
  const before = process.cpuUsage();
  for (let i = 0; i < ROUNDS; i++) durations.push((await once()).ms);
  const { user, system } = process.cpuUsage(before);
  return `${quantile(durations, 0.5).toFixed(1)} (${((user + system) / 1_000 / ROUNDS).toFixed(1)})`;
}

export async function fill(database: Database, rows: number): Promise<void> {
  const tokens = [
    { address: TOKEN, standard: 20 as const, position: 0 },
    { address: COLLECTION, standard: 721 as const, position: 0 },
    { address: ITEMS, standard: 1155 as const, position: 0 },
  ];
  const known = tokens.map((each) => ({ ...each, name: "Bench", symbol: "B", decimals: 18 }));
  const blocks = Math.ceil(rows / PER_BLOCK);
  await fillIndex(database, CHAIN, {
    blocks,
    tokens,
    addContents(batch, block) {
      for (let i = 0; i < PER_BLOCK; i++) addEvents(batch, block, i);
    },
    complete: (writer) =>
      writer.saveTokenMetadata({ tokens: known, block: blocks, readAt: Math.floor(Date.now() / 1_000) }),
  });
  if (database.kind === "postgres") await vacuum(database.url);
}

/** As autovacuum does after a while. */
export async function vacuum(url: string): Promise<void> {
  const client = postgres(url, { max: 1 });
  await client.unsafe("VACUUM ANALYZE");
  await client.end();
}

/** A transaction of a bundler with a user operation of the wallet. */
function addUserOperation(batch: BlockRows, block: number, i: number): void {
  const n = block * PER_BLOCK + i;
  const index = PER_BLOCK + i;
  const hash = word(n, "d");
  batch.transactions.push({
    position: positionOf(block, index),
    hash,
    from: BUNDLER,
    to: ENTRY_POINT,
    value: "0",
    nonce: n,
    gas: "300000",
    gasPrice: "1",
    input: HANDLE_OPS.replace(NONCE.toString(16), n.toString(16).padStart(64, "0")),
    status: 1,
    cumulativeGasUsed: "200000",
    gasUsed: "200000",
    contract: null,
    root: null,
    fees: null,
  });
  batch.logs.push({
    position: positionOf(block, index),
    transactionIndex: index,
    transactionHash: hash,
    address: ENTRY_POINT,
    topics: [USER_OPERATION_TOPIC, word(n, "c"), addressTopic(WALLET), word(0)],
    data: `0x${[n, 1, 1, 1].map((value) => value.toString(16).padStart(64, "0")).join("")}`,
    isErc20: false,
  });
}

/** A transaction of the wallet with one event of each kind. */
function addEvents(batch: BlockRows, block: number, i: number): void {
  const n = block * PER_BLOCK + i;
  const other = `0x${(n + 1).toString(16).padStart(40, "1")}`;
  const [from, to] = i % 2 === 0 ? [WALLET, other] : [other, WALLET];
  const transactionHash = word(n, "b");
  const at = { transactionIndex: i, transactionHash };
  batch.transactions.push({
    position: positionOf(block, i),
    hash: transactionHash,
    from,
    to,
    value: "1",
    nonce: n,
    gas: "21000",
    gasPrice: "1",
    input: "0x",
    status: 1,
    cumulativeGasUsed: "21000",
    gasUsed: "21000",
    contract: null,
    root: null,
    fees: null,
  });
  batch.logs.push({
    ...transferLog(block, i, { token: TOKEN, from: WALLET, to: other, value: n + 1 }),
    ...at,
  });
  addUserOperation(batch, block, i);
  const nft = { ...at, part: 0, operator: null, isBatch: false, amount: "1" };
  batch.nftTransfers.push(
    {
      ...nft,
      position: positionOf(block, 2 * (PER_BLOCK + i)),
      token: COLLECTION,
      tokenId: word(n),
      standard: 721,
      from: NONE,
      to: WALLET,
    },
    {
      ...nft,
      position: positionOf(block, 2 * (PER_BLOCK + i) + 1),
      token: ITEMS,
      tokenId: word(7),
      standard: 1155,
      from: NONE,
      to: other,
    },
  );
  batch.trades.push({
    ...at,
    position: positionOf(block, 4 * PER_BLOCK + i),
    token: COLLECTION,
    marketplace: MARKET,
    seller: other,
    buyer: WALLET,
    price: word(1),
    priceToken: null,
    tokenIds: [String(n)],
  });
}

function encodeHandleOps(): string {
  const callData = encodeFunctionData({
    abi: parseAbi(["function execute(address to, uint256 value, bytes data)"]),
    args: [TOKEN, 0n, encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [BUNDLER, 1n] })],
  });
  const half = "1".padStart(32, "0");
  return encodeFunctionData({
    abi: parseAbi([
      "struct Operation { address sender; uint256 nonce; bytes initCode; bytes callData; bytes32 accountGasLimits; uint256 preVerificationGas; bytes32 gasFees; bytes paymasterAndData; bytes signature; }",
      "function handleOps(Operation[] operations, address beneficiary)",
    ]),
    args: [
      [
        {
          sender: WALLET,
          nonce: NONCE,
          initCode: "0x",
          callData,
          accountGasLimits: `0x${half}${half}`,
          preVerificationGas: 50_000n,
          gasFees: `0x${half}${half}`,
          paymasterAndData: "0x",
          signature: `0x${"5a".repeat(65)}`,
        },
      ],
      BUNDLER,
    ],
  });
}

import { type BlockRows, type NftTransferRow, NULL_ADDRESS, positionOf } from "../src/model/rows.ts";
import { APPROVAL_FOR_ALL_TOPIC, APPROVAL_TOPIC, addressTopic, UPGRADED_TOPIC } from "../src/model/topics.ts";
import { transferLog, word } from "./fillIndex.ts";

/*
 * Contents of made-up blocks, with rows in every table of an index.
 */

const addressOf = (digits: string) => `0x${digits.repeat(20)}`;

export const TOKEN = addressOf("ee");
export const COLLECTION = addressOf("cc");
/** It appears in later blocks only. */
const LATE_TOKEN = addressOf("ef");
const LATE_BLOCK = 22;
const ITEMS = addressOf("bb");
/** A collection of many tokens that one log creates. */
const SERIES = addressOf("dd");
const SERIES_SIZE = 100;
const MARKETPLACE = addressOf("55");
const WALLETS = ["a1", "b2", "c3"].map(addressOf);
const walletAt = (index: number) => WALLETS[index % WALLETS.length] ?? "";

/** The block in which the contract of the token is replaced, and the metadata of all NFTs changes. */
const UPGRADE_BLOCK = 25;

/** Each block has a transfer of a token, and one of an NFT that not all of its previous owners had. */
export function addContents(rows: BlockRows, block: number): void {
  const { logs, nftTransfers, nftUpdates } = rows;
  const [from, to] = [walletAt(block), walletAt(block + 1)];
  logs.push(transferLog(block, 0, { token: TOKEN, from, to, value: block + 1 }));
  nftTransfers.push({
    ...nftTransferOf(block, 1),
    ...{ token: COLLECTION, tokenId: word(block % 4), standard: 721, isBatch: false, operator: null },
    ...{ from: walletAt(block + 2), to, amount: "1" },
  });
  if (block === UPGRADE_BLOCK) {
    const transfer = transferLog(block, 2, { token: TOKEN, from, to });
    logs.push({ ...transfer, topics: [UPGRADED_TOPIC, word(1)], data: "0x", isErc20: false });
    const position = positionOf(block, 3);
    nftUpdates.push({ position, token: COLLECTION, first: word(0), last: word(9) });
  }
  if (block >= LATE_BLOCK)
    logs.push(transferLog(block, 4, { token: LATE_TOKEN, from: NULL_ADDRESS, to, value: block }));
  addItems(rows, block);
  addTransactions(rows, block);
  addApproval(rows, block);
  if (block % 4 === 1) addSale(rows, block);
  if (block % 5 === 2) addSeries(rows, block);
}

function nftTransferOf(block: number, index: number) {
  return {
    position: positionOf(block, index),
    part: 0,
    transactionIndex: 1,
    transactionHash: word(block, "b"),
  } satisfies Partial<NftTransferRow>;
}

/** A batch of items that are minted, moved or burned, and an update of the metadata of some. */
function addItems({ nftTransfers, nftUpdates }: BlockRows, block: number): void {
  const isMint = block % 3 < 2;
  const from = isMint ? NULL_ADDRESS : walletAt(block);
  const to = isMint ? walletAt(block) : block % 2 === 0 ? NULL_ADDRESS : walletAt(block + 1);
  for (const part of [0, 1])
    nftTransfers.push({
      ...nftTransferOf(block, 5),
      ...{ part, token: ITEMS, tokenId: word(part + (block % 2)), standard: 1155, isBatch: true },
      ...{ operator: walletAt(block), from, to, amount: String(block + part) },
    });
  if (block % 6 === 0)
    nftUpdates.push({
      position: positionOf(block, 6),
      token: ITEMS,
      first: word(block % 4),
      last: word((block % 4) + ((block * 7) % 10)),
    });
}

/** A contract creation and a transfer of coins, each with what its contract sent. */
function addTransactions(rows: BlockRows, block: number): void {
  rows.internalTransfers ??= [];
  const fees = {
    ...{ type: 2, maxFeePerGas: "30", maxPriorityFeePerGas: "2", effectiveGasPrice: String(20 + block) },
    details: block % 4 === 0 ? { l1Fee: String(block) } : null,
  };
  for (const index of [0, 1]) {
    const isCreation = index === 0 && block % 6 === 0;
    const contract = isCreation ? word(block, "c").slice(0, 42) : null;
    rows.transactions.push({
      ...{ position: positionOf(block, index), hash: word(block * 1_000 + index, "b") },
      ...{ from: walletAt(block + index), to: isCreation ? null : walletAt(block + index + 1) },
      ...{ value: String(block * 10), nonce: block, gas: "21000", gasPrice: "20", input: "0x" },
      ...{ status: block % 9 === 0 ? 0 : 1, cumulativeGasUsed: "21000", gasUsed: "21000" },
      // Rows of earlier versions have no fees.
      ...{ contract, root: null, fees: block % 7 === 0 ? null : fees },
    });
    for (let part = 0; part < block % 3; part++)
      rows.internalTransfers.push({
        ...{ position: positionOf(block, index), part, from: walletAt(block), to: walletAt(block + part) },
        ...{ value: String(block + part), isCreation: part === 1 },
      });
  }
}

/** An allowance, the approval of an NFT, or that of all NFTs, in turns. */
function addApproval({ logs }: BlockRows, block: number): void {
  const parties = [walletAt(block), walletAt(block + 2)] as const;
  const topics = parties.map(addressTopic);
  const kinds = [
    { topics: [APPROVAL_TOPIC, ...topics], data: word(block) },
    { topics: [APPROVAL_TOPIC, ...topics, word(block % 4)], data: "0x" },
    { topics: [APPROVAL_FOR_ALL_TOPIC, ...topics], data: word(block % 2) },
  ];
  const transfer = transferLog(block, 7, { token: COLLECTION, from: parties[0], to: parties[1] });
  logs.push({ ...transfer, ...kinds[block % kinds.length], isErc20: false });
}

function addSale({ trades }: BlockRows, block: number): void {
  trades.push({
    ...{ position: positionOf(block, 8), transactionIndex: 1, transactionHash: word(block, "b") },
    ...{ token: COLLECTION, marketplace: MARKETPLACE, seller: walletAt(block), buyer: walletAt(block + 1) },
    ...{ price: word(block * 100), priceToken: block % 8 === 1 ? null : TOKEN },
    tokenIds: [String(block % 4), "9"],
  });
}

function addSeries({ nftRanges }: BlockRows, block: number): void {
  const [first, last] = [block * SERIES_SIZE, (block + 1) * SERIES_SIZE - 1].map((id) => word(id));
  const position = positionOf(block, 9);
  if (first && last)
    nftRanges.push({ position, token: SERIES, first, last, from: NULL_ADDRESS, to: walletAt(block) });
}

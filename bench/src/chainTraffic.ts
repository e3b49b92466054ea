/* Synthetic traffic of a chain for chainScale.ts, the same at each run. */
import {
  type BlockRow,
  type BlockRows,
  type DiscoveredToken,
  emptyBlockRows,
  NULL_ADDRESS,
  positionOf,
} from "../../packages/chain/src/model/rows.ts";
import { addressTopic, TRANSFER_TOPIC } from "../../packages/chain/src/model/topics.ts";

export const TRANSFERS_PER_BLOCK = 200;
const TRANSACTIONS_PER_BLOCK = TRANSFERS_PER_BLOCK / 2;
const NFTS_PER_BLOCK = TRANSFERS_PER_BLOCK / 20;
const SALES_PER_BLOCK = TRANSFERS_PER_BLOCK / 100;
const WALLETS = 2_000_000;
const TOKENS = 20_000;
const COLLECTIONS = 2_000;
const ITEMS = 10_000;

interface Operation {
  label: string;
  name: string;
  parameters: Record<string, unknown>;
}

export interface Traffic {
  blocks(
    from: number,
    to: number,
    parent: BlockRow | undefined,
  ): { rows: BlockRows; tokens: DiscoveredToken[] };
  operations(): Operation[];
}

export function createTraffic(): Traffic {
  const seen = new Set<string>();
  return {
    blocks(from, to, parent) {
      const rows = emptyBlockRows();
      const tokens: DiscoveredToken[] = [];
      for (let number = from; number < to; number++) {
        const parentHash = rows.blocks.at(-1)?.hash ?? parent?.hash ?? word(0);
        rows.blocks.push({
          ...{ number, hash: mixedWord(number, 1), parentHash },
          timestamp: 1_600_000_000 + number * 12,
        });
        addTransactions(rows, number);
        addTransfers(rows, number);
        addNfts(rows, number);
      }
      for (const { address, position } of rows.logs) addToken(tokens, address, 20, position);
      for (const { token, position } of rows.nftTransfers) addToken(tokens, token, 721, position);
      return { rows, tokens };
    },
    operations,
  };

  function addToken(tokens: DiscoveredToken[], token: string, standard: 20 | 721, position: number): void {
    if (seen.has(token)) return;
    seen.add(token);
    tokens.push({ address: token, standard, position });
  }
}

function operations(): Operation[] {
  const wallets = { frequent: address("w", 0), rare: address("w", WALLETS / 100) };
  const tokens = { frequent: address("t", 0), rare: address("t", TOKENS / 10) };
  const collections = { frequent: address("c", 0), rare: address("c", COLLECTIONS / 10) };
  const found: Operation[] = [];
  const add = (name: string, addresses: Record<string, string>, more: Record<string, unknown> = {}) => {
    for (const [how, of] of Object.entries(addresses))
      found.push({ label: `${name}, ${how}`, name, parameters: { address: of, ...more } });
  };
  add("getTransactions", wallets);
  add("getTokenTransfers", wallets);
  add("getTokenTransfers", { "frequent, by blocks": wallets.frequent }, { from_block: 100 });
  add("getTokenAddressTransfers", tokens);
  add("getLogsByAddress", tokens);
  add(
    "getLogsByAddress",
    { "frequent, of one wallet": tokens.frequent },
    {
      topic0: TRANSFER_TOPIC,
      topic1: addressTopic(wallets.frequent),
    },
  );
  add("getNFTTransfers", wallets);
  add("getContractNFTTransfers", collections);
  add("getNFTs", wallets);
  add("getNFTOwners", collections);
  add("getWalletHistory", wallets);
  return found;
}

function addTransactions(rows: BlockRows, block: number): void {
  for (let i = 0; i < TRANSACTIONS_PER_BLOCK; i++) {
    const n = block * TRANSACTIONS_PER_BLOCK + i;
    rows.transactions.push({
      ...{ position: positionOf(block, i), hash: mixedWord(n, 2) },
      ...{ from: wallet(n, 3), to: address("t", skewed(n, 4, TOKENS, 4)) },
      ...{ value: "0", nonce: n % 1_000, gas: "65000", gasPrice: String(20_000_000_000 + (n % 1_000)) },
      input: `0xa9059cbb${mixedWord(n, 5).slice(2)}${mixedWord(n, 6).slice(2)}`,
      ...{ status: 1, cumulativeGasUsed: String(65_000 * (i + 1)), gasUsed: "52000" },
      ...{ contract: null, root: null },
      fees: {
        ...{ type: 2, maxFeePerGas: "30000000000", maxPriorityFeePerGas: "1000000000" },
        ...{ effectiveGasPrice: "20000000000", details: null },
      },
    });
  }
}

function addTransfers(rows: BlockRows, block: number): void {
  for (let i = 0; i < TRANSFERS_PER_BLOCK; i++) {
    const n = block * TRANSFERS_PER_BLOCK + i;
    const transactionIndex = Math.floor(i / 2);
    rows.logs.push({
      ...{ position: positionOf(block, i), transactionIndex },
      transactionHash: mixedWord(block * TRANSACTIONS_PER_BLOCK + transactionIndex, 2),
      address: address("t", skewed(n, 7, TOKENS, 4)),
      topics: [TRANSFER_TOPIC, addressTopic(wallet(n, 8)), addressTopic(wallet(n, 9))],
      data: word(1 + Math.floor(random(n, 10) * 1e12)),
      isErc20: true,
    });
  }
}

function addNfts(rows: BlockRows, block: number): void {
  for (let i = 0; i < NFTS_PER_BLOCK; i++) {
    const n = block * NFTS_PER_BLOCK + i;
    const token = address("c", skewed(n, 11, COLLECTIONS, 3));
    const at = {
      ...{ position: positionOf(block, TRANSFERS_PER_BLOCK + i), transactionIndex: i },
      transactionHash: mixedWord(block * TRANSACTIONS_PER_BLOCK + i, 2),
    };
    const [from, to] = [i % 2 === 0 ? NULL_ADDRESS : wallet(n, 12), wallet(n, 13)];
    const id = Math.floor(random(n, 14) * ITEMS);
    rows.nftTransfers.push({
      ...{ ...at, part: 0, token, tokenId: word(id), standard: 721, isBatch: false, operator: null },
      ...{ from, to, amount: "1" },
    });
    if (i < SALES_PER_BLOCK)
      rows.trades.push({
        ...{ ...at, token, marketplace: address("m", 0), seller: from, buyer: to },
        ...{ price: word(1e9 + n), priceToken: null, tokenIds: [String(id)] },
      });
  }
}

/** Three quarters of the transfers concern a small part of the wallets. */
const wallet = (n: number, stream: number) => address("w", skewed(n, stream, WALLETS, 3));

/** A number below `count`; smaller ones are more frequent. */
function skewed(n: number, stream: number, count: number, power: number): number {
  return Math.floor(count * random(n, stream) ** power);
}

/** A number from 0 up to, but excluding, 1 (splitmix32). */
function random(n: number, stream: number): number {
  return mix(n, stream) / 2 ** 32;
}

function mix(n: number, stream: number): number {
  let mixed = (Math.imul(n, 0x9e3779b9) + Math.imul(stream, 0x85ebca6b)) | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}

const KINDS = { w: 1, t: 2, c: 3, m: 4 } as const;

/** An address without regularities that could be compressed. */
function address(kind: keyof typeof KINDS, number: number): string {
  return mixedWord(number, 100 + KINDS[kind]).slice(0, 42);
}

function mixedWord(n: number, stream: number): string {
  let digits = "";
  for (let part = 0; part < 8; part++)
    digits += mix(n, stream * 16 + part)
      .toString(16)
      .padStart(8, "0");
  return `0x${digits}`;
}

function word(number: number): string {
  return `0x${number.toString(16).padStart(64, "0")}`;
}

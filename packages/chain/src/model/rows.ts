/** What the index keeps of a chain. Hashes, addresses and data are lower-case hex with 0x; large numbers decimal text. */

export interface BlockRow {
  number: number;
  hash: string;
  parentHash: string;
  /** Seconds since the epoch. */
  timestamp: number;
}

export interface TransactionRow {
  position: number;
  hash: string;
  from: string;
  /** null where a contract is created. */
  to: string | null;
  /** wei */
  value: string;
  nonce: number;
  gas: string;
  /** wei */
  gasPrice: string;
  input: string;
  /** 1 succeeded, 0 reverted; null on chains before EIP-658. */
  status: number | null;
  cumulativeGasUsed: string;
  gasUsed: string;
  /** The contract that it has created. */
  contract: string | null;
  /** The state after it, on chains before EIP-658. */
  root: string | null;
}

export interface LogRow {
  position: number;
  transactionIndex: number;
  transactionHash: string;
  address: string;
  /** Up to four. */
  topics: string[];
  data: string;
  /**
   * Whether it counts as an ERC-20 transfer: one of EIP-20, whose topics 1 and 2 are the sides, or a deposit or withdrawal
   * of the wrapped native coin, whose topic 1 is the one side and the null address the other. Data is the value.
   */
  isErc20: boolean;
}

export interface NftTransferRow {
  /** Of its log. */
  position: number;
  /** Its number in a batch; 0 otherwise. */
  part: number;
  transactionIndex: number;
  transactionHash: string;
  token: string;
  /** 32 bytes. */
  tokenId: string;
  standard: 721 | 1155;
  /** Whether it was moved with others in one batch (EIP-1155). */
  isBatch: boolean;
  operator: string | null;
  from: string;
  to: string;
  amount: string;
}

/** Tokens of one collection that were sold together. */
export interface TradeRow {
  /** Of its log. */
  position: number;
  transactionIndex: number;
  transactionHash: string;
  token: string;
  /** The contract that tells of it; anyone can say anything. */
  marketplace: string;
  seller: string;
  buyer: string;
  /** Of all of them, in the smallest unit of what is paid with; 32 bytes. */
  price: string;
  /** null: paid in the chain's own coin. */
  priceToken: string | null;
  /** Decimal. */
  tokenIds: string[];
}

/** A contract that has moved tokens. */
export interface TokenSighting {
  address: string;
  standard: 20 | 721 | 1155;
  /** Of the first transfer. */
  position: number;
}

/** Tokens of a collection that their contract says are other ones now. */
export interface NftUpdateRow {
  token: string;
  /** The first and the last id, 32 bytes each. */
  first: string;
  last: string;
  position: number;
}

/** Consecutive tokens that were moved at once (ERC-2309) and are too many to be listed one by one. */
export interface NftRangeRow {
  /** Of its log. */
  position: number;
  token: string;
  /** The first and the last id that are not listed, 32 bytes each. */
  first: string;
  last: string;
  from: string;
  to: string;
}

/** Some blocks in a row with all that happened in them. */
export interface BlockRows {
  blocks: BlockRow[];
  transactions: TransactionRow[];
  logs: LogRow[];
  nftTransfers: NftTransferRow[];
  nftRanges: NftRangeRow[];
  trades: TradeRow[];
  nftUpdates: NftUpdateRow[];
}

/** Positions in one block: more than any block can hold, while a position stays a safe integer up to block 2^33. */
export const IN_BLOCK = 2 ** 20;

/** Where a transaction or a log stands in its chain: by block, then by its index there. */
export function positionOf(blockNumber: number, index: number): number {
  return blockNumber * IN_BLOCK + index;
}

export function blockOf(position: number): number {
  return Math.floor(position / IN_BLOCK);
}

export function indexOf(position: number): number {
  return position % IN_BLOCK;
}

export const MAX_INDEX = IN_BLOCK - 1;

export const NULL_ADDRESS = `0x${"0".repeat(40)}`;

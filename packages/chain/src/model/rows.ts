/** Rows of the index. Hashes, addresses and data are lower-case hex with 0x; large numbers are decimal text. */

/** A block by number and hash (lower-case hex with 0x). */
export interface BlockIdentity {
  number: number;
  hash: string;
}

export interface BlockRow {
  number: number;
  hash: string;
  parentHash: string;
  /** Seconds since the epoch. */
  timestamp: number;
}

/** Type and fees of a transaction. Prices are in wei per gas. */
export interface TransactionFees {
  /** EIP-2718. */
  type: number;
  /** null for transactions with a gas price. */
  maxFeePerGas: string | null;
  maxPriorityFeePerGas: string | null;
  effectiveGasPrice: string | null;
  details: TransactionDetails | null;
}

/** Permission of an account to execute the code of a contract (EIP-7702). */
export interface Authorization {
  /** Decimal; 0 for any chain. */
  chainId: string;
  /** The contract. */
  address: string;
  nonce: string;
  yParity: number;
  r: string;
  s: string;
}

/** What only some transactions have. Prices and fees are in wei. */
export interface TransactionDetails {
  /** EIP-4844. */
  blobVersionedHashes?: string[] | undefined;
  maxFeePerBlobGas?: string | undefined;
  blobGasUsed?: string | undefined;
  blobGasPrice?: string | undefined;
  /** EIP-7702. */
  authorizations?: Authorization[] | undefined;
  /** What a rollup pays for the data of the transaction on its base chain. */
  l1Fee?: string | undefined;
  l1GasPrice?: string | undefined;
  l1GasUsed?: string | undefined;
}

export interface TransactionRow {
  position: number;
  hash: string;
  from: string;
  /** null for contract creations. */
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
  /** The created contract. */
  contract: string | null;
  /** State root after the transaction, on chains before EIP-658. */
  root: string | null;
  /** null if it was indexed by an earlier version, or not read. */
  fees: TransactionFees | null;
}

/** A log as a contract emitted it. */
export interface RawLog {
  position: number;
  transactionIndex: number;
  transactionHash: string;
  address: string;
  /** Up to four. */
  topics: string[];
  data: string;
}

export interface LogRow extends RawLog {
  /**
   * Whether the log counts as an ERC-20 transfer: a Transfer of EIP-20 with the parties in topics 1 and 2, or a
   * deposit or withdrawal of the wrapped native coin with the account in topic 1 and the null address as the other
   * party. Data is the value.
   */
  isErc20: boolean;
}

export interface NftTransferRow {
  /** Position of the log. */
  position: number;
  /** Index in a batch; 0 otherwise. */
  part: number;
  transactionIndex: number;
  transactionHash: string;
  token: string;
  /** 32 bytes. */
  tokenId: string;
  standard: 721 | 1155;
  /** Whether it is part of a batch transfer (EIP-1155). */
  isBatch: boolean;
  operator: string | null;
  from: string;
  to: string;
  amount: string;
}

/** A sale of one or more tokens of a collection. */
export interface TradeRow {
  /** Position of the log. */
  position: number;
  transactionIndex: number;
  transactionHash: string;
  token: string;
  /** The contract that reported the sale. Any contract can report anything. */
  marketplace: string;
  seller: string;
  buyer: string;
  /** Total price in the smallest unit of the currency; 32 bytes. */
  price: string;
  /** null for the native coin. */
  priceToken: string | null;
  /** Decimal. */
  tokenIds: string[];
}

/** A contract found through its token transfers. */
export interface DiscoveredToken {
  address: string;
  standard: 20 | 721 | 1155;
  /** Position of the first transfer. */
  position: number;
}

/** Token ids whose metadata the contract reports as updated. */
export interface NftUpdateRow {
  token: string;
  /** First and last id, 32 bytes each. */
  first: string;
  last: string;
  position: number;
}

/** Consecutive tokens of one ERC-2309 log that are too many to list individually. */
export interface NftRangeRow {
  /** Position of the log. */
  position: number;
  token: string;
  /** First and last id that are not listed, 32 bytes each. */
  first: string;
  last: string;
  from: string;
  to: string;
}

/** Native coins that a contract sent, or a contract that it created. */
export interface InternalTransferRow {
  /** Position of the transaction. */
  position: number;
  /** In execution order. */
  part: number;
  from: string;
  /** The receiver or the created contract. */
  to: string;
  /** wei; can be 0 for creations. */
  value: string;
  isCreation: boolean;
}

/** Consecutive blocks with their contents. */
export interface BlockRows {
  blocks: BlockRow[];
  transactions: TransactionRow[];
  logs: LogRow[];
  nftTransfers: NftTransferRow[];
  nftRanges: NftRangeRow[];
  trades: TradeRow[];
  nftUpdates: NftUpdateRow[];
  /** Missing if the chain is not traced. */
  internalTransfers?: InternalTransferRow[];
}

/** No blocks yet. */
export function emptyBlockRows(): BlockRows {
  return {
    blocks: [],
    transactions: [],
    logs: [],
    nftTransfers: [],
    nftRanges: [],
    trades: [],
    nftUpdates: [],
  };
}

/** More than any block can contain, while positions stay safe integers up to block 2^33. */
export const POSITIONS_PER_BLOCK = 2 ** 20;
/** A block after all others, whose positions are safe integers. */
export const LAST_BLOCK = 2 ** 33 - 2;

/** Position of a transaction or log in its chain: ordered by block, then by index in the block. */
export function positionOf(blockNumber: number, index: number): number {
  return blockNumber * POSITIONS_PER_BLOCK + index;
}

export function blockOf(position: number): number {
  return Math.floor(position / POSITIONS_PER_BLOCK);
}

export function indexOf(position: number): number {
  return position % POSITIONS_PER_BLOCK;
}

export const MAX_INDEX = POSITIONS_PER_BLOCK - 1;

export const NULL_ADDRESS = `0x${"0".repeat(40)}`;

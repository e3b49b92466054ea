/** Bytes as both drivers return them. */
type Bytes = Uint8Array;

export interface BlocksTable {
  number: number;
  hash: Bytes;
  parent_hash: Bytes;
  /** Seconds since the epoch. */
  timestamp: number;
}

export interface TransactionsTable {
  position: number;
  hash: Bytes;
  from_address: Bytes;
  to_address: Bytes | null;
  value: string;
  nonce: number;
  gas: string;
  gas_price: string;
  input: Bytes;
  status: number | null;
  cumulative_gas_used: string;
  gas_used: string;
  contract: Bytes | null;
  root: Bytes | null;
}

/** Type and fees of transactions; rows of an earlier version are missing. */
export interface TransactionFeesTable {
  position: number;
  type: number;
  max_fee: string | null;
  max_priority_fee: string | null;
  effective_gas_price: string | null;
  /** JSON of TransactionDetails; null for none. */
  details: string | null;
}

export interface LogsTable {
  position: number;
  transaction_index: number;
  transaction_hash: Bytes;
  address: Bytes;
  topic0: Bytes | null;
  topic1: Bytes | null;
  topic2: Bytes | null;
  topic3: Bytes | null;
  data: Bytes;
  /** 1: an ERC-20 transfer. */
  erc20: number;
}

export interface NftTransfersTable {
  position: number;
  part: number;
  transaction_index: number;
  transaction_hash: Bytes;
  token: Bytes;
  token_id: Bytes;
  standard: number;
  batch: number;
  operator: Bytes | null;
  from_address: Bytes;
  to_address: Bytes;
  amount: string;
}

/** Consecutive tokens of one ERC-2309 log that are too many to list individually. */
export interface NftRangesTable {
  position: number;
  token: Bytes;
  /** First and last id that are not listed. */
  first: Bytes;
  last: Bytes;
  from_address: Bytes;
  to_address: Bytes;
}

export interface TradesTable {
  position: number;
  transaction_index: number;
  transaction_hash: Bytes;
  token: Bytes;
  marketplace: Bytes;
  seller: Bytes;
  buyer: Bytes;
  price: Bytes;
  price_token: Bytes | null;
  /** Decimal, separated by commas. */
  token_ids: string;
}

/** Native coins that contracts sent, and contracts that they created; of chains that are traced. */
export interface InternalTransfersTable {
  /** Position of the transaction. */
  position: number;
  /** In execution order. */
  part: number;
  from_address: Bytes;
  to_address: Bytes;
  /** wei */
  value: string;
  /** 1: `to_address` was created. */
  created: number;
}

/** Balances: received minus sent amounts. */
export interface NftBalancesTable {
  token: Bytes;
  token_id: Bytes;
  owner: Bytes;
  standard: number;
  /** Decimal; negative if a contract logs inconsistent transfers or the index starts later. Never zero. */
  amount: string;
  /** 1: positive balance. */
  held: number;
}

export interface TokensTable {
  address: Bytes;
  standard: number;
  /** Position of the first transfer; null for tokens that were only queried. */
  position: number | null;
  /** null if the contract does not provide it. */
  name: string | null;
  symbol: string | null;
  decimals: number | null;
  /** 1: the contract has been called. */
  known: number;
  /** Symbol and name as they are searched (see `searchKey`). */
  symbol_key: string | null;
  name_key: string | null;
  /** The block up to which the contract's answers are known to apply, and when they were read (s since the epoch). */
  read_block: number | null;
  read_at: number | null;
}

/** Balances of ERC-20 tokens: received minus sent amounts. */
interface Erc20BalancesTable {
  token: Bytes;
  owner: Bytes;
  /** Encoded in the order of the amounts (see `orderedInteger.ts`). Never zero. */
  amount: Bytes;
  /** 1: positive balance. */
  held: number;
}

/** Sums over the balances of each ERC-20 token. */
interface Erc20TotalsTable {
  token: Bytes;
  /** Number of positive balances. */
  holders: number;
  /** Minted minus burned amounts, encoded like balances. */
  supply: Bytes;
}

/** Lengths of lists without bounds, maintained with their rows (see `listCounts.ts`). */
interface ListCountsTable {
  list: number;
  key: Bytes;
  detail: Bytes;
  n: number;
}

/** Wallets whose history is indexed, in an index of known wallets. */
export interface WatchedTable {
  address: Bytes;
  /** First block from which it is indexed with all other wallets; -1 before that. */
  since: number;
  /** The next block of its history to index, in descending order; below the start block when complete. */
  next: number;
}

/** Metadata of each discovered NFT, and when it is due. */
export interface NftMetadataTable {
  /** In the order of discovery. */
  id: number;
  token: Bytes;
  token_id: Bytes;
  standard: number;
  /** Position of the first transfer. */
  position: number;
  /** Metadata URI of the contract; null if it has none or it is too long. */
  uri: string | null;
  /** The block at which the contract was called; null if a call is due. */
  uri_block: number | null;
  /** The last metadata as fetched: JSON text of an object. */
  metadata: string | null;
  /** Time of the last success, in ms since the epoch. */
  synced_at: number | null;
  /** Time of the last attempt, in ms since the epoch. */
  looked_at: number | null;
  /** Error of the last attempt. */
  problem: string | null;
  /** Consecutive temporary failures. */
  tries: number;
  /** Time of the next attempt, in ms since the epoch; 0 if requested by a client, null if none is due. */
  due: number | null;
  /** Search terms. */
  words: string | null;
}

/** A range of token ids whose metadata the contract reports as updated. */
interface NftUpdatesTable {
  token: Bytes;
  first: Bytes;
  last: Bytes;
  /** Metadata read before this block is outdated. */
  block: number;
}

interface FactsTable {
  key: string;
  value: string;
}

export interface ChainTables {
  blocks: BlocksTable;
  transactions: TransactionsTable;
  transaction_fees: TransactionFeesTable;
  logs: LogsTable;
  nft_transfers: NftTransfersTable;
  nft_ranges: NftRangesTable;
  trades: TradesTable;
  internal_transfers: InternalTransfersTable;
  nft_balances: NftBalancesTable;
  tokens: TokensTable;
  erc20_balances: Erc20BalancesTable;
  erc20_totals: Erc20TotalsTable;
  list_counts: ListCountsTable;
  watched: WatchedTable;
  nft_metadata: NftMetadataTable;
  nft_updates: NftUpdatesTable;
  facts: FactsTable;
}

/** Tables whose rows are listed in the order of the chain. */
export type ListTable = "transactions" | "logs" | "nft_transfers" | "trades" | "internal_transfers";

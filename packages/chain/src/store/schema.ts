import { APPROVAL_FOR_ALL_TOPIC, APPROVAL_TOPIC, TRANSFER_TOPIC } from "../model/topics.ts";

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
export interface Erc20BalancesTable {
  token: Bytes;
  owner: Bytes;
  /** Encoded in the order of the amounts (see `orderedInteger.ts`). Never zero. */
  amount: Bytes;
  /** 1: positive balance. */
  held: number;
}

/** Sums over the balances of each ERC-20 token. */
export interface Erc20TotalsTable {
  token: Bytes;
  /** Number of positive balances. */
  holders: number;
  /** Minted minus burned amounts, encoded like balances. */
  supply: Bytes;
}

/** Lengths of lists without bounds, maintained with their rows (see `listCounts.ts`). */
export interface ListCountsTable {
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
export interface NftUpdatesTable {
  token: Bytes;
  first: Bytes;
  last: Bytes;
  /** Metadata read before this block is outdated. */
  block: number;
}

export interface FactsTable {
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
export type ListTable = "transactions" | "logs" | "nft_transfers" | "trades";

/** SQL differences between the databases. */
export interface SchemaDialect {
  integer: string;
  bytes: string;
  /** Suffix of tables with small rows, which are stored in key order. */
  clustered: string;
  /** Column type of an increasing number. */
  numbered: string;
  /** Condition for logs that are approvals. */
  approvals: string;
  /** A constant of bytes, from hex with 0x. */
  literal(hex: string): string;
  /** Suffix of text columns in indexes that are ordered by code points. */
  collation: string;
  /** Statements for the full-text index of metadata. */
  search: readonly string[];
}

/** Conditions of the partial index of approvals; queries must repeat them word for word. */
export const SQLITE_APPROVALS = approvalCondition((topic) => `x'${topic}'`);
export const POSTGRES_APPROVALS = approvalCondition((topic) => `'\\x${topic}'::bytea`);

function approvalCondition(literal: (digits: string) => string): string {
  const topics = [APPROVAL_TOPIC, APPROVAL_FOR_ALL_TOPIC].map((topic) => literal(topic.slice(2)));
  return `topic0 IN (${topics.join(", ")})`;
}

/**
 * Incremented when the tables or the decoding of logs change. Indexes from UPGRADABLE_VERSION are upgraded from
 * their logs; indexes of other versions are rebuilt from the chain.
 */
export const SCHEMA_VERSION = 6;
export const UPGRADABLE_VERSION = 2;

/** Columns that tables of earlier versions lack. */
export const ADDED_COLUMNS: readonly { table: string; column: string; type: "TEXT" | "integer" }[] = [
  { table: "tokens", column: "symbol_key", type: "TEXT" },
  { table: "tokens", column: "name_key", type: "TEXT" },
  { table: "tokens", column: "read_block", type: "integer" },
  { table: "tokens", column: "read_at", type: "integer" },
];

/** Indexes of earlier versions that others have replaced. */
const REPLACED_INDEXES = [
  "erc20_by_from",
  "erc20_by_to",
  "transactions_by_to",
  "nft_by_to",
  "tokens_by_symbol",
];

/** The tables of one chain's index with the indexes that its queries need. */
export function schemaStatements(dialect: SchemaDialect): string[] {
  const { integer, bytes, clustered, numbered, approvals, literal, collation, search } = dialect;
  return [
    "CREATE TABLE IF NOT EXISTS facts (key TEXT PRIMARY KEY, value TEXT NOT NULL)",
    `CREATE TABLE IF NOT EXISTS blocks (
      number ${integer} PRIMARY KEY, hash ${bytes} NOT NULL, parent_hash ${bytes} NOT NULL, timestamp ${integer} NOT NULL)`,
    "CREATE INDEX IF NOT EXISTS blocks_by_time ON blocks (timestamp, number)",
    `CREATE TABLE IF NOT EXISTS transactions (
      position ${integer} PRIMARY KEY, hash ${bytes} NOT NULL, from_address ${bytes} NOT NULL, to_address ${bytes},
      value TEXT NOT NULL, nonce ${integer} NOT NULL, gas TEXT NOT NULL, gas_price TEXT NOT NULL, input ${bytes} NOT NULL,
      status ${integer}, cumulative_gas_used TEXT NOT NULL, gas_used TEXT NOT NULL, contract ${bytes}, root ${bytes})`,
    `CREATE TABLE IF NOT EXISTS transaction_fees (
      position ${integer} PRIMARY KEY, type ${integer} NOT NULL, max_fee TEXT, max_priority_fee TEXT,
      effective_gas_price TEXT, details TEXT)`,
    "CREATE INDEX IF NOT EXISTS transactions_by_from ON transactions (from_address, position)",
    // Indexes of lists have all columns of their conditions, so that counting and skipping does not read the rows.
    "CREATE INDEX IF NOT EXISTS transactions_to ON transactions (to_address, position, from_address)",
    `CREATE INDEX IF NOT EXISTS transactions_by_contract ON transactions (contract, position)
      WHERE contract IS NOT NULL`,
    `CREATE TABLE IF NOT EXISTS logs (
      position ${integer} PRIMARY KEY, transaction_index ${integer} NOT NULL, transaction_hash ${bytes} NOT NULL,
      address ${bytes} NOT NULL, topic0 ${bytes}, topic1 ${bytes}, topic2 ${bytes}, topic3 ${bytes},
      data ${bytes} NOT NULL, erc20 ${integer} NOT NULL)`,
    "CREATE INDEX IF NOT EXISTS logs_by_address ON logs (address, position, erc20)",
    "CREATE INDEX IF NOT EXISTS logs_by_topic ON logs (address, topic0, position) WHERE erc20 = 0",
    ...["topic1", "topic2", "topic3"].map(
      (topic) => `CREATE INDEX IF NOT EXISTS logs_by_${topic} ON logs (address, ${topic}, position)
        WHERE erc20 = 0 AND ${topic} IS NOT NULL`,
    ),
    "CREATE INDEX IF NOT EXISTS erc20_from ON logs (topic1, position, address) WHERE erc20 = 1",
    "CREATE INDEX IF NOT EXISTS erc20_to ON logs (topic2, position, topic1, address) WHERE erc20 = 1",
    `CREATE INDEX IF NOT EXISTS erc20_wrapped ON logs (address, topic0, position)
      WHERE erc20 = 1 AND topic0 <> ${literal(TRANSFER_TOPIC)}`,
    `CREATE INDEX IF NOT EXISTS approvals_by_owner ON logs (topic1, position) WHERE ${approvals}`,
    `CREATE TABLE IF NOT EXISTS nft_transfers (
      position ${integer} NOT NULL, part ${integer} NOT NULL, transaction_index ${integer} NOT NULL,
      transaction_hash ${bytes} NOT NULL, token ${bytes} NOT NULL, token_id ${bytes} NOT NULL,
      standard ${integer} NOT NULL, batch ${integer} NOT NULL, operator ${bytes}, from_address ${bytes} NOT NULL,
      to_address ${bytes} NOT NULL, amount TEXT NOT NULL, PRIMARY KEY (position, part))${clustered}`,
    "CREATE INDEX IF NOT EXISTS nft_by_from ON nft_transfers (from_address, position, part)",
    "CREATE INDEX IF NOT EXISTS nft_to ON nft_transfers (to_address, position, part, from_address)",
    "CREATE INDEX IF NOT EXISTS nft_by_token ON nft_transfers (token, position, part)",
    "CREATE INDEX IF NOT EXISTS nft_by_id ON nft_transfers (token, token_id, position, part)",
    `CREATE TABLE IF NOT EXISTS nft_ranges (
      position ${integer} PRIMARY KEY, token ${bytes} NOT NULL, first ${bytes} NOT NULL, last ${bytes} NOT NULL,
      from_address ${bytes} NOT NULL, to_address ${bytes} NOT NULL)`,
    "CREATE INDEX IF NOT EXISTS nft_ranges_by_token ON nft_ranges (token, first)",
    "CREATE INDEX IF NOT EXISTS nft_ranges_by_to ON nft_ranges (to_address, token)",
    `CREATE TABLE IF NOT EXISTS trades (
      position ${integer} PRIMARY KEY, transaction_index ${integer} NOT NULL, transaction_hash ${bytes} NOT NULL,
      token ${bytes} NOT NULL, marketplace ${bytes} NOT NULL, seller ${bytes} NOT NULL, buyer ${bytes} NOT NULL,
      price ${bytes} NOT NULL, price_token ${bytes}, token_ids TEXT NOT NULL)`,
    "CREATE INDEX IF NOT EXISTS trades_by_token ON trades (token, marketplace, position)",
    `CREATE TABLE IF NOT EXISTS nft_balances (
      token ${bytes} NOT NULL, token_id ${bytes} NOT NULL, owner ${bytes} NOT NULL, standard ${integer} NOT NULL,
      amount TEXT NOT NULL, held ${integer} NOT NULL, PRIMARY KEY (token, token_id, owner))${clustered}`,
    // Empty except during a change.
    "CREATE INDEX IF NOT EXISTS nft_balances_none ON nft_balances (owner) WHERE amount = '0'",
    "CREATE INDEX IF NOT EXISTS nft_by_owner ON nft_balances (owner, token, token_id) WHERE held = 1",
    `CREATE TABLE IF NOT EXISTS tokens (
      address ${bytes} PRIMARY KEY, standard ${integer} NOT NULL, position ${integer}, name TEXT, symbol TEXT,
      decimals ${integer}, known ${integer} NOT NULL, symbol_key TEXT, name_key TEXT, read_block ${integer},
      read_at ${integer})`,
    `CREATE INDEX IF NOT EXISTS tokens_by_symbol_key ON tokens (symbol_key${collation})`,
    `CREATE INDEX IF NOT EXISTS tokens_by_name_key ON tokens (name_key${collation})`,
    "CREATE INDEX IF NOT EXISTS tokens_unknown ON tokens (address) WHERE known = 0",
    `CREATE TABLE IF NOT EXISTS erc20_balances (
      token ${bytes} NOT NULL, owner ${bytes} NOT NULL, amount ${bytes} NOT NULL, held ${integer} NOT NULL,
      PRIMARY KEY (token, owner))${clustered}`,
    "CREATE INDEX IF NOT EXISTS erc20_holders ON erc20_balances (token, amount, owner) WHERE held = 1",
    `CREATE TABLE IF NOT EXISTS erc20_totals (
      token ${bytes} PRIMARY KEY, holders ${integer} NOT NULL, supply ${bytes} NOT NULL)${clustered}`,
    "CREATE INDEX IF NOT EXISTS erc20_totals_none ON erc20_totals (token) WHERE holders = 0",
    `CREATE TABLE IF NOT EXISTS list_counts (
      list ${integer} NOT NULL, key ${bytes} NOT NULL, detail ${bytes} NOT NULL, n ${integer} NOT NULL,
      PRIMARY KEY (list, key, detail))${clustered}`,
    `CREATE TABLE IF NOT EXISTS watched (
      address ${bytes} PRIMARY KEY, since ${integer} NOT NULL, next ${integer} NOT NULL)`,
    "CREATE INDEX IF NOT EXISTS watched_by_next ON watched (next)",
    `CREATE TABLE IF NOT EXISTS nft_metadata (
      id ${numbered}, token ${bytes} NOT NULL, token_id ${bytes} NOT NULL, standard ${integer} NOT NULL,
      position ${integer} NOT NULL, uri TEXT, uri_block ${integer}, metadata TEXT, synced_at ${integer},
      looked_at ${integer}, problem TEXT, tries ${integer} NOT NULL DEFAULT 0, due ${integer} DEFAULT 1, words TEXT,
      UNIQUE (token, token_id))`,
    "CREATE INDEX IF NOT EXISTS nft_metadata_due ON nft_metadata (token, due) WHERE due IS NOT NULL",
    "CREATE INDEX IF NOT EXISTS nft_metadata_asked ON nft_metadata (token) WHERE due = 0",
    "CREATE INDEX IF NOT EXISTS nft_metadata_by_block ON nft_metadata (uri_block)",
    `CREATE TABLE IF NOT EXISTS nft_updates (
      token ${bytes} NOT NULL, first ${bytes} NOT NULL, last ${bytes} NOT NULL, block ${integer} NOT NULL,
      PRIMARY KEY (token, first))${clustered}`,
    ...REPLACED_INDEXES.map((name) => `DROP INDEX IF EXISTS ${name}`),
    ...search,
  ];
}

/** All tables except `facts`; cleared to rebuild an index. */
export const INDEX_TABLES = [
  "blocks",
  "transactions",
  "transaction_fees",
  "logs",
  "nft_transfers",
  "nft_ranges",
  "trades",
  "nft_balances",
  "tokens",
  "erc20_balances",
  "erc20_totals",
  "list_counts",
  "watched",
  "nft_metadata",
  "nft_updates",
] as const;

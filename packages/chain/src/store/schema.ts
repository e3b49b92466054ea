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
  logs: LogsTable;
  nft_transfers: NftTransfersTable;
  nft_ranges: NftRangesTable;
  trades: TradesTable;
  nft_balances: NftBalancesTable;
  tokens: TokensTable;
  watched: WatchedTable;
  nft_metadata: NftMetadataTable;
  nft_updates: NftUpdatesTable;
  facts: FactsTable;
}

/** SQL differences between the databases. */
export interface SchemaDialect {
  integer: string;
  bytes: string;
  /** Suffix of tables with small rows, which are stored in key order. */
  clustered: string;
  /** Column type of an increasing number. */
  numbered: string;
  /** Statements for the full-text index of metadata. */
  search: readonly string[];
}

/** FTS5 without content: the terms are stored only in the table. */
export const SQLITE_SEARCH: readonly string[] = [
  `CREATE VIRTUAL TABLE IF NOT EXISTS nft_words
    USING fts5(words, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 0')`,
  `CREATE TRIGGER IF NOT EXISTS nft_words_changed AFTER UPDATE OF words ON nft_metadata BEGIN
    DELETE FROM nft_words WHERE rowid = old.id;
    INSERT INTO nft_words (rowid, words) SELECT new.id, new.words WHERE new.words IS NOT NULL;
  END`,
  `CREATE TRIGGER IF NOT EXISTS nft_words_gone AFTER DELETE ON nft_metadata BEGIN
    DELETE FROM nft_words WHERE rowid = old.id;
  END`,
];

/** The terms as stored: PostgreSQL must not apply stemming. */
export const POSTGRES_TERMS = "array_to_tsvector(string_to_array(words, ' '))";
export const POSTGRES_SEARCH: readonly string[] = [
  `CREATE INDEX IF NOT EXISTS nft_words ON nft_metadata USING gin (${POSTGRES_TERMS})`,
];

/**
 * Incremented when the tables or the decoding of logs change. An index of the previous version is upgraded from its
 * logs; indexes of other versions are rebuilt from the chain.
 */
export const SCHEMA_VERSION = 3;
export const UPGRADABLE_VERSION = 2;

/** The tables of one chain's index with the indexes that its queries need. */
export function schemaStatements({ integer, bytes, clustered, numbered, search }: SchemaDialect): string[] {
  return [
    "CREATE TABLE IF NOT EXISTS facts (key TEXT PRIMARY KEY, value TEXT NOT NULL)",
    `CREATE TABLE IF NOT EXISTS blocks (
      number ${integer} PRIMARY KEY, hash ${bytes} NOT NULL, parent_hash ${bytes} NOT NULL, timestamp ${integer} NOT NULL)`,
    "CREATE INDEX IF NOT EXISTS blocks_by_time ON blocks (timestamp, number)",
    `CREATE TABLE IF NOT EXISTS transactions (
      position ${integer} PRIMARY KEY, hash ${bytes} NOT NULL, from_address ${bytes} NOT NULL, to_address ${bytes},
      value TEXT NOT NULL, nonce ${integer} NOT NULL, gas TEXT NOT NULL, gas_price TEXT NOT NULL, input ${bytes} NOT NULL,
      status ${integer}, cumulative_gas_used TEXT NOT NULL, gas_used TEXT NOT NULL, contract ${bytes}, root ${bytes})`,
    "CREATE INDEX IF NOT EXISTS transactions_by_from ON transactions (from_address, position)",
    "CREATE INDEX IF NOT EXISTS transactions_by_to ON transactions (to_address, position)",
    `CREATE TABLE IF NOT EXISTS logs (
      position ${integer} PRIMARY KEY, transaction_index ${integer} NOT NULL, transaction_hash ${bytes} NOT NULL,
      address ${bytes} NOT NULL, topic0 ${bytes}, topic1 ${bytes}, topic2 ${bytes}, topic3 ${bytes},
      data ${bytes} NOT NULL, erc20 ${integer} NOT NULL)`,
    "CREATE INDEX IF NOT EXISTS logs_by_address ON logs (address, position, erc20)",
    "CREATE INDEX IF NOT EXISTS logs_by_topic ON logs (address, topic0, position) WHERE erc20 = 0",
    "CREATE INDEX IF NOT EXISTS erc20_by_from ON logs (topic1, position) WHERE erc20 = 1",
    "CREATE INDEX IF NOT EXISTS erc20_by_to ON logs (topic2, position, address) WHERE erc20 = 1",
    `CREATE TABLE IF NOT EXISTS nft_transfers (
      position ${integer} NOT NULL, part ${integer} NOT NULL, transaction_index ${integer} NOT NULL,
      transaction_hash ${bytes} NOT NULL, token ${bytes} NOT NULL, token_id ${bytes} NOT NULL,
      standard ${integer} NOT NULL, batch ${integer} NOT NULL, operator ${bytes}, from_address ${bytes} NOT NULL,
      to_address ${bytes} NOT NULL, amount TEXT NOT NULL, PRIMARY KEY (position, part))${clustered}`,
    "CREATE INDEX IF NOT EXISTS nft_by_from ON nft_transfers (from_address, position, part)",
    "CREATE INDEX IF NOT EXISTS nft_by_to ON nft_transfers (to_address, position, part)",
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
      decimals ${integer}, known ${integer} NOT NULL)`,
    "CREATE INDEX IF NOT EXISTS tokens_by_symbol ON tokens (lower(symbol))",
    "CREATE INDEX IF NOT EXISTS tokens_unknown ON tokens (address) WHERE known = 0",
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
    ...search,
  ];
}

/** All tables except `facts`; cleared to rebuild an index. */
export const INDEX_TABLES = [
  "blocks",
  "transactions",
  "logs",
  "nft_transfers",
  "nft_ranges",
  "trades",
  "nft_balances",
  "tokens",
  "watched",
  "nft_metadata",
  "nft_updates",
] as const;

/** Bytes as both databases give them. */
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

/** Consecutive tokens that were moved at once (ERC-2309) and are too many to be listed one by one. */
export interface NftRangesTable {
  position: number;
  token: Bytes;
  /** The first and the last id that are not listed. */
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
  /** Decimal, with commas between them. */
  token_ids: string;
}

/** Sums of transfers: what an owner has got less what it has given. */
export interface NftBalancesTable {
  token: Bytes;
  token_id: Bytes;
  owner: Bytes;
  standard: number;
  /** Decimal; below zero where a contract lies, or the index begins after it. Never zero. */
  amount: string;
  /** 1: more than zero. */
  held: number;
}

export interface TokensTable {
  address: Bytes;
  standard: number;
  /** Of the first transfer; null for those that somebody has only asked for. */
  position: number | null;
  /** null where the contract does not tell. */
  name: string | null;
  symbol: string | null;
  decimals: number | null;
  /** 1: the contract has been asked. */
  known: number;
}

/** Addresses whose history is indexed, where not the whole chain is. */
export interface WatchedTable {
  address: Bytes;
  /** From this block on it is followed with all others; -1 where it is not yet. */
  since: number;
  /** The newest block below that is still to be read for it; below the start when all is. */
  next: number;
}

/** What is known of each NFT that has moved, and when it is to be read. */
export interface NftMetadataTable {
  /** In the order in which the tokens came into the index. */
  id: number;
  token: Bytes;
  token_id: Bytes;
  standard: number;
  /** Of the first transfer. */
  position: number;
  /** Of the metadata, as the contract says; null where it does not, or where it is too long to be kept. */
  uri: string | null;
  /** The block at which the contract was asked; null where it is to be asked (again). */
  uri_block: number | null;
  /** The last that could be read, as it came: the text of a JSON object. */
  metadata: string | null;
  /** When that was, in ms since the epoch. */
  synced_at: number | null;
  /** When anything was last found out, in ms since the epoch. */
  looked_at: number | null;
  /** Why the last look has brought no metadata. */
  problem: string | null;
  /** Looks in a row that have failed in a way that may pass. */
  tries: number;
  /** When to look, in ms since the epoch; 0 where somebody has asked for it, null where there is nothing to do. */
  due: number | null;
  /** What it is found by. */
  words: string | null;
}

/** Tokens that their contract says are other ones now: a range of ids. */
export interface NftUpdatesTable {
  token: Bytes;
  first: Bytes;
  last: Bytes;
  /** What was read before this block is to be read again. */
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

/** How a database writes what the other writes differently. */
export interface LayoutDialect {
  integer: string;
  bytes: string;
  /** Behind a table whose rows are small and stand in the order of their key. */
  clustered: string;
  /** A column of numbers that rise from row to row. */
  numbered: string;
  /** What finds metadata by its words. */
  search: readonly string[];
}

/** FTS5 beside the table: it has the words in no other form. */
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

/** The words as they are: PostgreSQL is not to find others in them. */
export const POSTGRES_WORDS = "array_to_tsvector(string_to_array(words, ' '))";
export const POSTGRES_SEARCH: readonly string[] = [
  `CREATE INDEX IF NOT EXISTS nft_words ON nft_metadata USING gin (${POSTGRES_WORDS})`,
];

/**
 * Raised when the tables, or what logs are read as, change. An index of the layout before is brought up to date from the
 * logs that it holds; one of another layout is made anew from the chain.
 */
export const LAYOUT = 3;
export const UPGRADED_LAYOUT = 2;

/** The tables of one chain's index, with the indexes that its questions need and no others. */
export function layoutStatements({ integer, bytes, clustered, numbered, search }: LayoutDialect): string[] {
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
    // Always empty but inside a change.
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

/** Every table but `facts`, for making an index anew. */
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

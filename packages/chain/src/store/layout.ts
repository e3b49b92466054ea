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

export interface FactsTable {
  key: string;
  value: string;
}

export interface ChainTables {
  blocks: BlocksTable;
  transactions: TransactionsTable;
  logs: LogsTable;
  nft_transfers: NftTransfersTable;
  trades: TradesTable;
  nft_balances: NftBalancesTable;
  tokens: TokensTable;
  watched: WatchedTable;
  facts: FactsTable;
}

/** How a database writes what the other writes differently. */
export interface LayoutDialect {
  integer: string;
  bytes: string;
  /** Behind a table whose rows are small and stand in the order of their key. */
  clustered: string;
}

/** Raised when the tables change: an index of another layout is made anew from the chain. */
export const LAYOUT = 2;

/** The tables of one chain's index, with the indexes that its questions need and no others. */
export function layoutStatements({ integer, bytes, clustered }: LayoutDialect): string[] {
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
  ];
}

/** Every table but `facts`, for making an index anew. */
export const INDEX_TABLES = [
  "blocks",
  "transactions",
  "logs",
  "nft_transfers",
  "trades",
  "nft_balances",
  "tokens",
  "watched",
] as const;

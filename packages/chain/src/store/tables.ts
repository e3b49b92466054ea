import type { Kysely } from "kysely";

/** Numbers that may exceed 2^53 are decimal text. Addresses and hashes are lower-case hex. */
export interface BlocksTable {
  chain_id: number;
  number: number;
  hash: string;
  parent_hash: string;
  /** Seconds since the epoch. */
  timestamp: number;
}

export interface Erc20TransfersTable {
  chain_id: number;
  block_number: number;
  log_index: number;
  transaction_index: number;
  transaction_hash: string;
  block_hash: string;
  /** Seconds since the epoch. */
  timestamp: number;
  token: string;
  from_address: string;
  to_address: string;
  value: string;
}

export interface TokensTable {
  chain_id: number;
  address: string;
  /** null where the contract does not tell. */
  name: string | null;
  symbol: string | null;
  decimals: number | null;
}

export interface ChainTables {
  blocks: BlocksTable;
  erc20_transfers: Erc20TransfersTable;
  tokens: TokensTable;
}

/** Makes the tables that are missing. The newest row of `blocks` is a chain's checkpoint. */
export async function createTables(db: Kysely<ChainTables>): Promise<void> {
  await db.schema
    .createTable("blocks")
    .ifNotExists()
    .addColumn("chain_id", "integer", (column) => column.notNull())
    .addColumn("number", "integer", (column) => column.notNull())
    .addColumn("hash", "text", (column) => column.notNull())
    .addColumn("parent_hash", "text", (column) => column.notNull())
    .addColumn("timestamp", "integer", (column) => column.notNull())
    .addPrimaryKeyConstraint("blocks_key", ["chain_id", "number"])
    .execute();
  await db.schema
    .createTable("erc20_transfers")
    .ifNotExists()
    .addColumn("chain_id", "integer", (column) => column.notNull())
    .addColumn("block_number", "integer", (column) => column.notNull())
    .addColumn("log_index", "integer", (column) => column.notNull())
    .addColumn("transaction_index", "integer", (column) => column.notNull())
    .addColumn("transaction_hash", "text", (column) => column.notNull())
    .addColumn("block_hash", "text", (column) => column.notNull())
    .addColumn("timestamp", "integer", (column) => column.notNull())
    .addColumn("token", "text", (column) => column.notNull())
    .addColumn("from_address", "text", (column) => column.notNull())
    .addColumn("to_address", "text", (column) => column.notNull())
    .addColumn("value", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("erc20_transfers_key", ["chain_id", "block_number", "log_index"])
    .execute();
  for (const side of ["from_address", "to_address"] as const) {
    await db.schema
      .createIndex(`erc20_transfers_${side}`)
      .ifNotExists()
      .on("erc20_transfers")
      .columns(["chain_id", side, "block_number", "log_index"])
      .execute();
  }
  await db.schema
    .createIndex("erc20_transfers_received")
    .ifNotExists()
    .on("erc20_transfers")
    .columns(["chain_id", "to_address", "token"])
    .execute();
  await db.schema
    .createTable("tokens")
    .ifNotExists()
    .addColumn("chain_id", "integer", (column) => column.notNull())
    .addColumn("address", "text", (column) => column.notNull())
    .addColumn("name", "text")
    .addColumn("symbol", "text")
    .addColumn("decimals", "integer")
    .addPrimaryKeyConstraint("tokens_key", ["chain_id", "address"])
    .execute();
}

import { USER_OPERATION_TOPIC } from "../decode/userOperations/userOperationLog.ts";
import { APPROVAL_FOR_ALL_TOPIC, APPROVAL_TOPIC, TRANSFER_TOPIC } from "../model/topics.ts";
import { beaconLogs } from "./upgradedContracts.ts";

/** SQL differences between the databases. */
export interface SchemaDialect {
  integer: string;
  bytes: string;
  /** Suffix of tables with small rows, which are stored in key order. */
  clustered: string;
  /** Column type of an increasing number. */
  numbered: string;
  /** Whether the tables of events are partitioned by position, and the lengths of lists by their partition. */
  isPartitioned: boolean;
  /** Condition for logs that are approvals. */
  approvals: string;
  /** A constant of bytes, from hex with 0x. */
  literal(hex: string): string;
  /** Suffix of text columns in indexes that are ordered by code points. */
  collation: string;
  /** Statements for the full-text index of metadata. */
  search: readonly string[];
}

/** Constants of bytes, from hex with 0x. */
export const sqliteLiteral = (hex: string) => `X'${hex.slice(2)}'`;
export const postgresLiteral = (hex: string) => `'\\x${hex.slice(2)}'::bytea`;

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
export const SCHEMA_VERSION = 7;
export const UPGRADABLE_VERSION = 2;
/**
 * The oldest version that can write an index of SCHEMA_VERSION in PostgreSQL, so that it can run beside this one and
 * after a downgrade. Raise it only for changes that such a process would damage. What its blocks lack is corrected
 * when a process of this version indexes again (`correctAfterOlderVersion`).
 */
export const WRITABLE_VERSION = 6;
/**
 * Indexes from this version have the sums and the lengths of lists of later ones; only the owners of ERC-721 tokens
 * can be others.
 */
export const COUNTED_VERSION = 6;

/** Incremented when the tables of another database change that has the events. */
const EVENT_TABLES_VERSION = 1;

/**
 * The version of indexes whose events are in another database. Larger than those of other indexes, so that processes of
 * versions without such indexes do not write them. An index of another version is only read, until another one has been
 * built beside it.
 */
export const EVENTS_VERSION = 1_000 + 100 * EVENT_TABLES_VERSION + SCHEMA_VERSION;

/** Tables of events, which are partitioned by the positions of their rows, or stored in ClickHouse. */
export const EVENT_TABLES = [
  "transactions",
  "transaction_fees",
  "logs",
  "nft_transfers",
  "trades",
  "internal_transfers",
] as const;
export type EventTable = (typeof EVENT_TABLES)[number];

/**
 * Added to the version of a partitioned index, and of any from which events have been removed. Processes of versions
 * without them do not write it, and serve it.
 */
export const PARTITIONS_VERSION = 2_000;

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
  const { integer, bytes, clustered, numbered, isPartitioned, approvals, literal, collation, search } =
    dialect;
  const { condition: beacons, beacon } = beaconLogs(literal);
  const byPosition = isPartitioned ? " PARTITION BY RANGE (position)" : "";
  return [
    "CREATE TABLE IF NOT EXISTS facts (key TEXT PRIMARY KEY, value TEXT NOT NULL)",
    `CREATE TABLE IF NOT EXISTS blocks (
      number ${integer} PRIMARY KEY, hash ${bytes} NOT NULL, parent_hash ${bytes} NOT NULL, timestamp ${integer} NOT NULL)`,
    "CREATE INDEX IF NOT EXISTS blocks_by_time ON blocks (timestamp, number)",
    `CREATE TABLE IF NOT EXISTS transactions (
      position ${integer} PRIMARY KEY, hash ${bytes} NOT NULL, from_address ${bytes} NOT NULL, to_address ${bytes},
      value TEXT NOT NULL, nonce ${integer} NOT NULL, gas TEXT NOT NULL, gas_price TEXT NOT NULL, input ${bytes} NOT NULL,
      status ${integer}, cumulative_gas_used TEXT NOT NULL, gas_used TEXT NOT NULL, contract ${bytes}, root ${bytes})${byPosition}`,
    `CREATE TABLE IF NOT EXISTS transaction_fees (
      position ${integer} PRIMARY KEY, type ${integer} NOT NULL, max_fee TEXT, max_priority_fee TEXT,
      effective_gas_price TEXT, details TEXT)${byPosition}`,
    "CREATE INDEX IF NOT EXISTS transactions_by_from ON transactions (from_address, position)",
    // Indexes of lists have all columns of their conditions, so that counting and skipping does not read the rows.
    "CREATE INDEX IF NOT EXISTS transactions_to ON transactions (to_address, position, from_address)",
    `CREATE INDEX IF NOT EXISTS transactions_by_contract ON transactions (contract, position)
      WHERE contract IS NOT NULL`,
    `CREATE TABLE IF NOT EXISTS logs (
      position ${integer} PRIMARY KEY, transaction_index ${integer} NOT NULL, transaction_hash ${bytes} NOT NULL,
      address ${bytes} NOT NULL, topic0 ${bytes}, topic1 ${bytes}, topic2 ${bytes}, topic3 ${bytes},
      data ${bytes} NOT NULL, erc20 ${integer} NOT NULL)${byPosition}`,
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
    ...[
      ["sender", "topic2"],
      ["paymaster", "topic3"],
    ].map(
      ([
        party,
        topic,
      ]) => `CREATE INDEX IF NOT EXISTS operations_by_${party} ON logs (${topic}, position, address, topic0)
        WHERE topic0 = ${literal(USER_OPERATION_TOPIC)}`,
    ),
    `CREATE INDEX IF NOT EXISTS proxies_by_beacon ON logs ((${beacon}), address) WHERE ${beacons}`,
    `CREATE INDEX IF NOT EXISTS approvals_by_owner ON logs (topic1, position) WHERE ${approvals}`,
    `CREATE TABLE IF NOT EXISTS nft_transfers (
      position ${integer} NOT NULL, part ${integer} NOT NULL, transaction_index ${integer} NOT NULL,
      transaction_hash ${bytes} NOT NULL, token ${bytes} NOT NULL, token_id ${bytes} NOT NULL,
      standard ${integer} NOT NULL, batch ${integer} NOT NULL, operator ${bytes}, from_address ${bytes} NOT NULL,
      to_address ${bytes} NOT NULL, amount TEXT NOT NULL, PRIMARY KEY (position, part))${clustered}${byPosition}`,
    "CREATE INDEX IF NOT EXISTS nft_by_from ON nft_transfers (from_address, position, part)",
    "CREATE INDEX IF NOT EXISTS nft_to ON nft_transfers (to_address, position, part, from_address)",
    "CREATE INDEX IF NOT EXISTS nft_by_token ON nft_transfers (token, position, part)",
    "CREATE INDEX IF NOT EXISTS nft_by_id ON nft_transfers (token, token_id, position, part)",
    "CREATE INDEX IF NOT EXISTS nft_receipts ON nft_transfers (token, token_id, to_address, position)",
    `CREATE TABLE IF NOT EXISTS nft_ranges (
      position ${integer} PRIMARY KEY, token ${bytes} NOT NULL, first ${bytes} NOT NULL, last ${bytes} NOT NULL,
      from_address ${bytes} NOT NULL, to_address ${bytes} NOT NULL)`,
    "CREATE INDEX IF NOT EXISTS nft_ranges_by_token ON nft_ranges (token, first)",
    "CREATE INDEX IF NOT EXISTS nft_ranges_by_to ON nft_ranges (to_address, token)",
    `CREATE TABLE IF NOT EXISTS trades (
      position ${integer} PRIMARY KEY, transaction_index ${integer} NOT NULL, transaction_hash ${bytes} NOT NULL,
      token ${bytes} NOT NULL, marketplace ${bytes} NOT NULL, seller ${bytes} NOT NULL, buyer ${bytes} NOT NULL,
      price ${bytes} NOT NULL, price_token ${bytes}, token_ids TEXT NOT NULL)${byPosition}`,
    "CREATE INDEX IF NOT EXISTS trades_by_token ON trades (token, marketplace, position)",
    `CREATE TABLE IF NOT EXISTS internal_transfers (
      position ${integer} NOT NULL, part ${integer} NOT NULL, from_address ${bytes} NOT NULL,
      to_address ${bytes} NOT NULL, value TEXT NOT NULL, created ${integer} NOT NULL,
      PRIMARY KEY (position, part))${clustered}${byPosition}`,
    "CREATE INDEX IF NOT EXISTS internal_from ON internal_transfers (from_address, position, part)",
    "CREATE INDEX IF NOT EXISTS internal_to ON internal_transfers (to_address, position, part, from_address)",
    "CREATE INDEX IF NOT EXISTS internal_created ON internal_transfers (to_address, position) WHERE created = 1",
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
    // With partitions, a length is the sum of those of its partitions.
    `CREATE TABLE IF NOT EXISTS list_counts (
      list ${integer} NOT NULL, key ${bytes} NOT NULL, detail ${bytes} NOT NULL, n ${integer} NOT NULL,
      ${
        isPartitioned
          ? `partition_number ${integer} NOT NULL, PRIMARY KEY (list, key, detail, partition_number))
            PARTITION BY RANGE (partition_number)`
          : `PRIMARY KEY (list, key, detail))${clustered}`
      }`,
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
    ...(isPartitioned ? removalStatements(dialect) : []),
    ...REPLACED_INDEXES.map((name) => `DROP INDEX IF EXISTS ${name}`),
    ...search,
  ];
}

/** What an index needs in addition before events are removed from it. */
export function removalStatements({
  integer,
  bytes,
}: Pick<SchemaDialect, "integer" | "bytes">): readonly string[] {
  return [
    // What is needed of the transfers of NFTs that are no longer kept: the last one, the last mint and the first one.
    `CREATE TABLE IF NOT EXISTS dropped_nfts (
      token ${bytes} NOT NULL, token_id ${bytes} NOT NULL, receiver ${bytes} NOT NULL,
      received ${integer} NOT NULL, minted ${integer}, first ${integer} NOT NULL, PRIMARY KEY (token, token_id))`,
    "CREATE INDEX IF NOT EXISTS erc20_by_owner ON erc20_balances (owner, token) WHERE held = 1",
  ];
}

/** Tables from which a reorganization removes the rows from a position on. */
export const POSITIONED_TABLES = [...EVENT_TABLES, "nft_ranges", "tokens"] as const;

/** All tables except `facts`; cleared to rebuild an index. */
export const INDEX_TABLES = [
  ...POSITIONED_TABLES,
  "blocks",
  "nft_balances",
  "erc20_balances",
  "erc20_totals",
  "list_counts",
  "watched",
  "nft_metadata",
  "nft_updates",
] as const;

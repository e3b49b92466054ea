import { EVENT_TABLES, type EventTable } from "../schema.ts";
import { PARTITION_POSITIONS } from "./eventState.ts";

interface TableLayout {
  /** Types by column. Bytes are strings; amounts are exact. */
  columns: Readonly<Record<string, string>>;
  order: string;
  /** Columns that ClickHouse computes. */
  computed?: Readonly<Record<string, string>>;
  /**
   * Copies of columns in another order. The first columns are those of the conditions of a list; all columns of these
   * conditions are included, because ClickHouse reads the whole table otherwise.
   */
  orders: Readonly<Record<string, { columns: string; by: string }>>;
}

const PARTIES = {
  by_from: { columns: "position, part, from_address", by: "from_address, position, part" },
  by_to: { columns: "position, part, to_address, from_address", by: "to_address, position, part" },
};

/** The layouts of the tables, with the columns in the order in which rows are written. */
export const EVENT_LAYOUTS: Readonly<Record<EventTable, TableLayout>> = {
  transactions: {
    columns: {
      position: "UInt64",
      hash: "String",
      from_address: "String",
      to_address: "Nullable(String)",
      value: "UInt256",
      nonce: "UInt64",
      gas: "UInt256",
      gas_price: "UInt256",
      input: "String",
      status: "Nullable(UInt8)",
      cumulative_gas_used: "UInt256",
      gas_used: "UInt256",
      contract: "Nullable(String)",
      root: "Nullable(String)",
    },
    order: "position",
    orders: {
      by_from: { columns: "position, from_address", by: "from_address, position" },
      by_to: { columns: "position, to_address, from_address", by: "to_address, position" },
      by_contract: {
        columns: "position, contract, from_address, to_address, status",
        by: "contract, position",
      },
    },
  },
  transaction_fees: {
    columns: {
      position: "UInt64",
      type: "UInt8",
      max_fee: "Nullable(UInt256)",
      max_priority_fee: "Nullable(UInt256)",
      effective_gas_price: "Nullable(UInt256)",
      details: "Nullable(String)",
    },
    order: "position",
    orders: {},
  },
  logs: {
    columns: {
      position: "UInt64",
      transaction_index: "UInt32",
      transaction_hash: "String",
      address: "String",
      topic0: "Nullable(String)",
      topic1: "Nullable(String)",
      topic2: "Nullable(String)",
      topic3: "Nullable(String)",
      data: "String",
      erc20: "UInt8",
    },
    computed: { amount: "String MATERIALIZED if(erc20 = 1, data, '')" },
    order: "position",
    orders: {
      by_address: { columns: "position, address, erc20", by: "address, position" },
      by_topic0: {
        columns: "position, address, erc20, topic0, topic1",
        by: "address, erc20, topic0, position",
      },
      by_topic1: {
        columns: "position, address, erc20, topic0, topic1, amount",
        by: "topic1, erc20, position",
      },
      by_topic2: {
        columns: "position, address, erc20, topic0, topic1, topic2, amount",
        by: "topic2, erc20, position",
      },
      by_topic3: {
        columns: "position, address, erc20, topic0, topic1, topic2, topic3",
        by: "topic3, erc20, position",
      },
    },
  },
  nft_transfers: {
    columns: {
      position: "UInt64",
      part: "UInt32",
      transaction_index: "UInt32",
      transaction_hash: "String",
      token: "String",
      token_id: "String",
      standard: "UInt16",
      batch: "UInt8",
      operator: "Nullable(String)",
      from_address: "String",
      to_address: "String",
      amount: "UInt256",
    },
    order: "position, part",
    orders: {
      ...PARTIES,
      by_token: {
        columns: "position, part, token, token_id, from_address, to_address",
        by: "token, token_id, position, part",
      },
    },
  },
  trades: {
    columns: {
      position: "UInt64",
      transaction_index: "UInt32",
      transaction_hash: "String",
      token: "String",
      marketplace: "String",
      seller: "String",
      buyer: "String",
      price: "String",
      price_token: "Nullable(String)",
      token_ids: "String",
    },
    order: "position",
    // Sales are few, and are sorted by price as well.
    orders: { by_token: { columns: "* EXCEPT fork", by: "token, marketplace, position" } },
  },
  internal_transfers: {
    columns: {
      position: "UInt64",
      part: "UInt32",
      from_address: "String",
      to_address: "String",
      value: "UInt256",
      created: "UInt8",
    },
    order: "position, part",
    orders: {
      by_from: { ...PARTIES.by_from, columns: `${PARTIES.by_from.columns}, value` },
      by_to: { ...PARTIES.by_to, columns: `${PARTIES.by_to.columns}, value, created` },
    },
  },
};

/** The name of a table of an index in ClickHouse. */
export function eventTableName(id: string, table: EventTable): string {
  return `purse_${id}_${table}`;
}

/** Statements that create the tables of an index. */
export function eventTableStatements(id: string): string[] {
  return EVENT_TABLES.map((table) => {
    const { columns, computed = {}, order, orders } = EVENT_LAYOUTS[table];
    const definitions = [
      ...Object.entries({ ...columns, fork: "UInt64", ...computed }).map(
        ([name, type]) => `${name} ${type}${codec(name)}`,
      ),
      ...Object.entries(orders).map(
        ([name, { columns: copied, by }]) => `PROJECTION ${name} (SELECT ${copied}, fork ORDER BY ${by})`,
      ),
    ];
    return `CREATE TABLE IF NOT EXISTS ${eventTableName(id, table)} (${definitions.join(", ")})
      ENGINE = MergeTree ORDER BY (${order}) PARTITION BY intDiv(position, ${PARTITION_POSITIONS})
      SETTINGS ${SETTINGS.join(", ")}`;
  });
}

function codec(column: string): string {
  return column === "position" || column === "fork" ? " CODEC(Delta, ZSTD)" : " CODEC(ZSTD)";
}

const SETTINGS = [
  "allow_nullable_key = 1",
  // Pages read single rows at many places.
  "index_granularity = 1024",
  "lightweight_mutation_projection_mode = 'rebuild'",
  // The SQL database counts on rows that were written, so that they must survive a power failure.
  "fsync_after_insert = 1",
  "fsync_part_directory = 1",
  "min_rows_to_fsync_after_merge = 1",
];

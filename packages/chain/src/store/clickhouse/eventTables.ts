import { EVENT_TABLES, type EventTable } from "../schema.ts";
import { PARTITION_POSITIONS } from "./eventState.ts";

/** A copy of some columns in another order, in a table of its own, which ClickHouse fills from inserts into the first. */
interface EventOrder {
  /** All columns of the conditions of a list, because the rest of its rows is read by their positions. */
  columns: readonly string[];
  /** The columns of the conditions that have one value each come before the position. */
  by: readonly string[];
  /** Columns that are not copied as they are: their types and values. */
  values?: Readonly<Record<string, { type: string; value: string }>>;
}

interface TableLayout {
  /** Types by column. Bytes are strings; amounts are exact. */
  columns: Readonly<Record<string, string>>;
  order: readonly string[];
  orders: Readonly<Record<string, EventOrder>>;
}

const PARTIES = {
  by_from: {
    columns: ["position", "part", "from_address"],
    by: ["from_address", "position", "part"],
  },
  by_to: {
    columns: ["position", "part", "to_address", "from_address"],
    by: ["to_address", "position", "part"],
  },
};

/** The amount of a transfer; its data are no amount in other logs. */
const AMOUNT = { type: "String", value: "if(source.erc20 = 1, source.data, '')" };

const SALES = {
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
    order: ["position"],
    orders: {
      by_from: { columns: ["position", "from_address"], by: ["from_address", "position"] },
      by_to: { columns: ["position", "to_address", "from_address"], by: ["to_address", "position"] },
      by_contract: {
        columns: ["position", "contract", "from_address", "to_address", "status"],
        by: ["contract", "position"],
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
    order: ["position"],
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
    order: ["position"],
    orders: {
      by_address: { columns: ["position", "address", "erc20"], by: ["address", "position"] },
      by_topic0: {
        columns: ["position", "address", "erc20", "topic0", "has_topic1"],
        by: ["address", "topic0", "position"],
        values: { has_topic1: { type: "UInt8", value: "source.topic1 IS NOT NULL" } },
      },
      by_topic1: {
        columns: ["position", "address", "erc20", "topic0", "topic1", "amount"],
        by: ["topic1", "erc20", "position"],
        values: { amount: AMOUNT },
      },
      by_topic2: {
        columns: ["position", "address", "erc20", "topic0", "topic1", "topic2", "amount"],
        by: ["topic2", "erc20", "position"],
        values: { amount: AMOUNT },
      },
      by_topic3: {
        columns: ["position", "address", "erc20", "topic0", "topic1", "topic2", "topic3"],
        by: ["topic3", "erc20", "position"],
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
    order: ["position", "part"],
    orders: {
      ...PARTIES,
      by_token: { columns: ["position", "part", "token"], by: ["token", "position", "part"] },
      by_item: {
        columns: ["position", "part", "token", "token_id", "from_address", "to_address"],
        by: ["token", "token_id", "position", "part"],
      },
    },
  },
  trades: {
    columns: SALES,
    order: ["position"],
    orders: {
      // Sales are few, and are sorted by price as well.
      by_token: { columns: Object.keys(SALES), by: ["token", "marketplace", "position"] },
    },
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
    order: ["position", "part"],
    orders: {
      by_from: { ...PARTIES.by_from, columns: [...PARTIES.by_from.columns, "value"] },
      by_to: { ...PARTIES.by_to, columns: [...PARTIES.by_to.columns, "value", "created"] },
    },
  },
};

/** The name of a table of an index in ClickHouse. */
export function eventTableName(id: string, table: EventTable): string {
  return nameOf(id, table);
}

/** The names of a table and of its copies, by their names in queries. */
export function eventTableNames(id: string, table: EventTable): ReadonlyMap<string, string> {
  return new Map(
    [table, ...Object.keys(EVENT_LAYOUTS[table].orders).map((order) => `${table}_${order}`)].map((name) => [
      name,
      nameOf(id, name),
    ]),
  );
}

/** The columns of a table or of a copy, by its name in queries. */
export const EVENT_COLUMNS: ReadonlyMap<string, readonly string[]> = new Map(
  EVENT_TABLES.flatMap((table) => [
    [table, Object.keys(EVENT_LAYOUTS[table].columns)] as const,
    ...Object.entries(EVENT_LAYOUTS[table].orders).map(
      ([order, { columns }]) => [`${table}_${order}`, columns] as const,
    ),
  ]),
);

/** What the names of the tables and views of an index begin with, and no others. */
export function tablePrefix(id: string): string {
  return `purse_${id}_`;
}

function nameOf(id: string, table: string): string {
  return tablePrefix(id) + table;
}

/** The name of the view that fills a copy. */
function feedName(id: string, table: EventTable, order: string): string {
  return nameOf(id, `${table}_to_${order}`);
}

/** Statements that create the tables of an index. Rows are copied by the insert that adds them. */
export function eventTableStatements(id: string): string[] {
  return EVENT_TABLES.flatMap((table) => {
    const { columns, order, orders } = EVENT_LAYOUTS[table];
    return [
      createTable(nameOf(id, table), columns, order),
      ...Object.entries(orders).flatMap(([name, copy]) => createCopy(id, table, name, copy)),
    ];
  });
}

/** The names of the tables and views of an index, the views before the tables that they read. */
export function tablesAndViews(id: string): string[] {
  return EVENT_TABLES.flatMap((table) => [
    ...Object.keys(EVENT_LAYOUTS[table].orders).map((order) => feedName(id, table, order)),
    ...eventTableNames(id, table).values(),
  ]);
}

/** Statements that remove them. */
export function removeTableStatements(id: string): string[] {
  return tablesAndViews(id).map((name) => `DROP TABLE IF EXISTS ${name} SYNC`);
}

function createTable(name: string, columns: Readonly<Record<string, string>>, order: readonly string[]) {
  const definitions = Object.entries({ ...columns, fork: "UInt64" }).map(
    ([column, type]) => `${column} ${type}${codec(column)}`,
  );
  return `CREATE TABLE IF NOT EXISTS ${name} (${definitions.join(", ")})
    ENGINE = MergeTree ORDER BY (${order.join(", ")}) PARTITION BY intDiv(position, ${PARTITION_POSITIONS})
    SETTINGS ${SETTINGS.join(", ")}`;
}

function createCopy(id: string, table: EventTable, order: string, copy: EventOrder): string[] {
  const target = nameOf(id, `${table}_${order}`);
  const types = copy.columns.map((column) => [column, copiedColumn(table, copy, column).type] as const);
  return [
    createTable(target, Object.fromEntries(types), copy.by),
    `CREATE MATERIALIZED VIEW IF NOT EXISTS ${feedName(id, table, order)} TO ${target} AS
      ${selectCopied(id, table, copy, [...copy.columns, "fork"])}`,
  ];
}

/** Selects the rows of a copy from its table, for an index without copies. A condition can follow by `AND`. */
export function selectAsCopied(id: string, table: EventTable, order: string): string {
  const copy = EVENT_LAYOUTS[table].orders[order];
  if (!copy) throw new Error(`${table} has no copy ${order}`);
  return selectCopied(id, table, copy, copy.columns);
}

/** A copy has no rows without a value in its first column: none of its lists contains them. */
function selectCopied(id: string, table: EventTable, copy: EventOrder, columns: readonly string[]): string {
  const values = columns.map((column) => `${copiedColumn(table, copy, column).value} AS ${column}`);
  return `SELECT ${values.join(", ")} FROM ${nameOf(id, table)} AS source WHERE source.${copy.by[0]} IS NOT NULL`;
}

function copiedColumn(
  table: EventTable,
  { by, values }: EventOrder,
  column: string,
): { type: string; value: string } {
  const { type = "UInt64", value = `source.${column}` } = values?.[column] ?? {
    type: EVENT_LAYOUTS[table].columns[column],
  };
  const [, required] = (column === by[0] && /^Nullable\((.+)\)$/.exec(type)) || [];
  return required === undefined ? { type, value } : { type: required, value: `assumeNotNull(${value})` };
}

function codec(column: string): string {
  return column === "position" || column === "fork" ? " CODEC(Delta, ZSTD)" : " CODEC(ZSTD)";
}

const SETTINGS = [
  "allow_nullable_key = 1",
  // Pages read single rows at many places.
  "index_granularity = 1024",
  // The SQL database counts on rows that were written, so that they must survive a power failure.
  "fsync_after_insert = 1",
  "fsync_part_directory = 1",
  "min_rows_to_fsync_after_merge = 1",
];

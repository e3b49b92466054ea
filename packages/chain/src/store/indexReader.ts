import {
  type Expression,
  PostgresQueryCompiler,
  type QueryCompiler,
  type RawBuilder,
  type SqlBool,
  SqliteQueryCompiler,
  sql,
} from "kysely";
import type { IndexChange, IndexQuery } from "./indexQuery.ts";
import { POSTGRES_APPROVALS, postgresLiteral, SQLITE_APPROVALS, sqliteLiteral } from "./schema.ts";
import { POSTGRES_TERMS } from "./searchSchema.ts";
import type { ChainTables, ListTable } from "./tables.ts";

/**
 * Cost category of a read. `lookup`: a few rows by key; `list`: a page of a list, a sum or a count, whose statement
 * includes `dialect.deadlineCheck` as a condition.
 */
export type ReadKind = "lookup" | "list";

/** Limits of reads for requests: timeout in ms and max rows. */
export type ReadLimits = Readonly<Record<ReadKind, { timeoutMs: number; maxRows: number }>>;

export const READ_LIMITS: ReadLimits = {
  lookup: { timeoutMs: 2_000, maxRows: 20_000 },
  list: { timeoutMs: 5_000, maxRows: 200_000 },
};

/** Executes queries on an index. */
export interface IndexReader {
  readonly dialect: Dialect;
  /** Rejects with IndexReadError if the read does not complete. */
  all<Row>(query: IndexQuery<Row>, kind?: ReadKind): Promise<Row[]>;
  /** Executes a change in a transaction; returns the number of changed rows. */
  change(query: IndexChange): Promise<number>;
  /** Returns a reader of one state of the index; only of a columnar database. */
  pin?(): Promise<PinnedReader>;
  close(): Promise<void>;
}

/** Reads one state of an index, whatever is written meanwhile. */
export interface PinnedReader {
  reader: IndexReader;
  /** The position after those of the blocks of the state. */
  end: number;
  /** Whether no block of the state has been removed since. */
  isCurrent(): Promise<boolean>;
}

/** SQL differences between the databases. */
export interface Dialect {
  compiler: QueryCompiler;
  /**
   * Whether the database stores columns, and only events: it reads rows of a list by the set of their positions instead
   * of a join, and does not contain the lengths of lists.
   */
  isColumnar: boolean;
  /**
   * Where to read the rows with a condition: a columnar database has copies of tables in the orders of lists, with the
   * columns of their conditions.
   */
  ordered<Table extends ListTable>(
    table: Table,
    condition: Expression<SqlBool>,
  ): RawBuilder<ChainTables[Table]>;
  bytes: RawBuilder<unknown>;
  integer: RawBuilder<unknown>;
  /**
   * A condition for statements that may scan many rows: aborts the statement at its deadline. Always true if the
   * database supports timeouts.
   */
  deadlineCheck: RawBuilder<SqlBool>;
  /** Whether the branches of an ordered union need limits of their own to be read in order. */
  needsBranchLimits: boolean;
  /** Suffix of text that is compared by code points. */
  textOrder: RawBuilder<unknown>;
  /** A constant of bytes, from hex with 0x. */
  literal(hex: string): RawBuilder<Uint8Array>;
  /** Bytes as hex without 0x. */
  hex(bytes: RawBuilder<unknown>): RawBuilder<string>;
  /** A position as 16 digits of hex. */
  hexPosition(position: RawBuilder<unknown>): RawBuilder<string>;
  /** The concatenated texts of rows; null without rows. */
  joined(text: RawBuilder<unknown>, order?: RawBuilder<unknown>): RawBuilder<string | null>;
  /** Condition for the value of a column for which no database index is used. */
  filterOnly(column: string, value: Uint8Array): RawBuilder<SqlBool>;
  /** Suffix of a SELECT whose rows must stay until the transaction ends. */
  rowLock: RawBuilder<unknown>;
  /**
   * The attributes of the metadata of NFTs: `nft_metadata` joined with one row per attribute, and the JSON text of its
   * type and value, null if it has none.
   */
  attributes: Record<"source" | "type" | "value", RawBuilder<unknown>>;
  /** Condition for logs that are approvals, as their index has it. */
  isApproval: Expression<SqlBool>;
  /** Condition for rows of `nft_metadata` that match all terms, given by their alternatives; terms match prefixes. */
  matchesTerms(terms: readonly (readonly string[])[]): RawBuilder<SqlBool>;
}

/** For statements in the indexer's thread. */
export const UNBOUNDED_SQLITE: Dialect = sqliteDialect(sql`true`);

/**
 * For statements in the threads of `SqliteReaderPool`, which can be aborted only by a function that they call. Checks
 * one of sixteen rows, chosen at random: it costs almost nothing, and no query can avoid the check.
 */
export const SQLITE: Dialect = sqliteDialect(sql`(random() & 15 OR index_checkpoint())`);

export const POSTGRES: Dialect = {
  compiler: new PostgresQueryCompiler(),
  isColumnar: false,
  ordered: (table) => sql.table(table),
  bytes: sql`bytea`,
  integer: sql`int8`,
  deadlineCheck: sql`true`,
  needsBranchLimits: true,
  textOrder: sql` COLLATE "C"`,
  literal: (hex) => sql.raw(postgresLiteral(hex)),
  hex: (bytes) => sql`encode(${bytes}, 'hex')`,
  hexPosition: (position) => sql`lpad(to_hex(${position}), 16, '0')`,
  joined: (text, order) => sql`string_agg(${text}, ''${order ? sql` ORDER BY ${order}` : sql``})`,
  filterOnly: (column, value) => sql`${sql.ref(column)} IS NOT DISTINCT FROM ${value}`,
  rowLock: sql`FOR KEY SHARE`,
  attributes: {
    // PostgreSQL cannot read an escaped NUL.
    source: sql`nft_metadata CROSS JOIN LATERAL json_array_elements(
      CASE WHEN strpos(metadata, '\\u0000') > 0 THEN NULL
        WHEN json_typeof(metadata::json -> 'attributes') = 'array' THEN metadata::json -> 'attributes' END) AS attribute(item)`,
    type: sql`(attribute.item -> 'trait_type')::text`,
    value: sql`(attribute.item -> 'value')::text`,
  },
  isApproval: sql.raw(POSTGRES_APPROVALS),
  matchesTerms(terms) {
    const text = terms.map((each) => `(${each.map((term) => `'${term}':*`).join(" | ")})`).join(" & ");
    return sql`${sql.raw(POSTGRES_TERMS)} @@ CAST(${text} AS tsquery)`;
  },
};

function sqliteDialect(deadlineCheck: RawBuilder<SqlBool>): Dialect {
  return {
    compiler: new SqliteQueryCompiler(),
    isColumnar: false,
    ordered: (table) => sql.table(table),
    bytes: sql`BLOB`,
    integer: sql`INTEGER`,
    deadlineCheck,
    needsBranchLimits: false,
    textOrder: sql``,
    literal: (hex) => sql.raw(sqliteLiteral(hex)),
    hex: (bytes) => sql`hex(${bytes})`,
    hexPosition: (position) => sql`printf('%016x', ${position})`,
    joined: (text, order) => sql`group_concat(${text}, ''${order ? sql` ORDER BY ${order}` : sql``})`,
    filterOnly: (column, value) => sql`+${sql.ref(column)} = ${value}`,
    // There is only one writer.
    rowLock: sql``,
    attributes: {
      source: sql`nft_metadata JOIN json_each(nft_metadata.metadata, '$.attributes') AS attribute
        ON json_type(nft_metadata.metadata, '$.attributes') = 'array'`,
      type: sql`CASE attribute.type WHEN 'object' THEN attribute.value -> '$.trait_type' END`,
      value: sql`CASE attribute.type WHEN 'object' THEN attribute.value -> '$.value' END`,
    },
    isApproval: sql.raw(SQLITE_APPROVALS),
    matchesTerms(terms) {
      const text = terms.map((each) => `(${each.map((term) => `"${term}"*`).join(" OR ")})`).join(" AND ");
      return sql`id IN (SELECT rowid FROM nft_words WHERE nft_words MATCH ${text} AND ${deadlineCheck})`;
    },
  };
}

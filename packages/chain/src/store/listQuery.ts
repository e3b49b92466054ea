import { type Expression, expressionBuilder, type RawBuilder, type SqlBool, sql } from "kysely";
import { LAST_BLOCK, positionOf } from "../model/rows.ts";
import type { Dialect, IndexReader } from "./indexReader.ts";
import type { CountKey } from "./listCounts.ts";
import type { CountedList, RankedRow } from "./listPositions.ts";
import type { ListTotals } from "./listTotals.ts";
import { padValues } from "./padValues.ts";
import type { ChainTables, ListTable } from "./tables.ts";

/** Options of a list, which is in descending order by default. */
export interface ListOptions {
  /** Both ends included. */
  fromBlock?: number | undefined;
  toBlock?: number | undefined;
  /** Only rows after this position in list order. */
  after?: IndexPosition | undefined;
  /** Ascending order. */
  ascending?: boolean;
  offset: number;
  limit: number;
  /** Whether to count the rows of all pages. */
  withTotal?: boolean;
}

/** Rows of a page; the total number over all pages, if it was requested. */
export interface ListResult<Row> {
  rows: Row[];
  total: number | undefined;
}

/** Position of a log or transaction, with the index in a batch. */
export interface IndexPosition {
  position: number;
  part: number;
}

/** Pages from this offset are found from remembered rows. */
const MIN_SEEK = 1_000;

const eb = expressionBuilder<ChainTables, ListTable>();
const partBuilder = expressionBuilder<ChainTables, PartTable>();

/** Tables whose rows have a part in addition to their position. */
type PartTable = "nft_transfers" | "internal_transfers";

function hasParts(table: ListTable): table is PartTable {
  return table === "nft_transfers" || table === "internal_transfers";
}

/**
 * Queries the union of branches, which must not overlap. Each branch is read in order from its own database index: the
 * positions of the page first, so that skipped rows are not read, then the rows. The total is undefined unless
 * requested; `counts` are the lists of the branches if the index contains their lengths.
 */
export async function readList<Table extends ListTable>(
  reader: IndexReader,
  totals: ListTotals,
  table: Table,
  branches: readonly Expression<SqlBool>[],
  options: ListOptions,
  counts?: readonly CountKey[],
): Promise<ListResult<ChainTables[Table]>> {
  const isFar = options.offset >= MIN_SEEK && options.limit > 0 && !options.after;
  if (isFar && blockBounds(options).length === 0 && (await totals.hasRanks())) {
    const list = await totals.countedList(table, branches, counts, options.withTotal === true);
    if (list) return readFarPage(reader, totals, table, branches, options, list);
  }
  const count = () =>
    totals.count(
      table,
      branches.map((branch) => eb.and([branch, ...blockBounds(options)])),
      blockBounds(options).length === 0 ? counts : undefined,
    );
  const readPage = async () =>
    options.limit === 0 ? [] : reader.all(selectPage(reader, table, branches, options), "list");
  if (reader.dialect.isColumnar && options.withTotal) {
    const rows = await readPage();
    // Counting takes as long as a page, and short lists are counted each time.
    const isOnlyPage = options.offset === 0 && !options.after && rows.length < options.limit;
    return { rows, total: isOnlyPage ? rows.length : await count() };
  }
  const [rows, total] = await Promise.all([readPage(), options.withTotal ? count() : undefined]);
  return { rows, total };
}

/** Reads a page at a large offset from a row nearby whose rank is remembered, if there is one. */
async function readFarPage<Table extends ListTable>(
  reader: IndexReader,
  { positions }: ListTotals,
  table: Table,
  branches: readonly Expression<SqlBool>[],
  options: ListOptions,
  list: CountedList,
): Promise<ListResult<ChainTables[Table]>> {
  const { offset, ascending = false, withTotal } = options;
  const total = withTotal ? list.total : undefined;
  if (offset >= list.total) return { rows: [], total };
  const { from, skip } = positions.start(list, offset, ascending);
  // SQLite uses one bound of a side only, which must be the row.
  const isBounded = from !== undefined && !ascending;
  const toBlock = isBounded ? undefined : list.upTo.number;
  const nearby = { ...options, offset: skip, toBlock, from };
  const rows = await reader.all(selectPage(reader, table, branches, nearby), "list");
  // The response does not wait for what only later ones need.
  positions.remember(list, offset, ascending, rows).catch(() => undefined);
  return { rows, total };
}

/**
 * Selects the positions of a page of the union of branches, which must not overlap. Each branch is read in order from
 * its own database index.
 */
export function selectPositions(
  { dialect }: IndexReader,
  table: ListTable,
  branches: readonly Expression<SqlBool>[],
  options: Omit<ListOptions, "withTotal"> & { from?: RankedRow | undefined },
): RawBuilder<IndexPosition> {
  const { limit, offset, from, ascending = false } = options;
  const key = keyOf(table);
  const conditions = [
    ...blockBounds(options),
    ...afterCursor(table, options),
    ...(from ? [fromRow(table, from, ascending)] : []),
    dialect.deadlineCheck,
  ];
  const order = listOrder(table, options);
  const positions = branches.map((branch) => {
    const condition = eb.and([branch, ...conditions]);
    const branchRows = sql`SELECT ${key} FROM ${dialect.ordered(table, condition)} WHERE ${condition}`;
    // Without a limit, PostgreSQL may sort all rows of a branch; with one, SQLite does.
    return dialect.needsBranchLimits
      ? sql`(${branchRows} ORDER BY ${order} LIMIT ${limit + offset})`
      : branchRows;
  });
  return sql`SELECT ${key} FROM (${sql.join(positions, sql` UNION ALL `)}) AS branches
    ORDER BY ${order} LIMIT ${limit} OFFSET ${offset}`;
}

/** Selects the rows of a page: their positions first, so that no other rows are read. */
export function selectPage<Table extends ListTable>(
  reader: IndexReader,
  table: Table,
  branches: readonly Expression<SqlBool>[],
  options: Omit<ListOptions, "withTotal"> & { from?: RankedRow | undefined },
): RawBuilder<ChainTables[Table]> {
  const key = keyOf(table);
  const order = listOrder(table, options);
  const found = selectPositions(reader, table, branches, options);
  const { isColumnar, needsBranchLimits } = reader.dialect;
  if (isColumnar)
    return sql<
      ChainTables[Table]
    >`SELECT * FROM ${sql.table(table)} WHERE (${key}) IN (${found}) ORDER BY ${order}`;
  if (needsBranchLimits) return selectEachRow(table, found, options);
  return sql<ChainTables[Table]>`SELECT listed.* FROM (${found}) AS found
    JOIN ${sql.table(table)} AS listed USING (${key}) ORDER BY ${order}`;
}

/**
 * Selects the rows of a page by one lookup for each: a plan of PostgreSQL for any limit expects a tenth of the rows, and a
 * lookup to read every partition, so that it would read the whole table for a join.
 */
function selectEachRow<Table extends ListTable>(
  table: Table,
  found: RawBuilder<IndexPosition>,
  { limit, ascending }: Pick<ListOptions, "limit" | "ascending">,
): RawBuilder<ChainTables[Table]> {
  const key = keyOf(table);
  const isFound = hasParts(table)
    ? sql`each.position = found.position AND each.part = found.part`
    : sql`each.position = found.position`;
  return sql<ChainTables[Table]>`SELECT listed.*
    FROM (SELECT ${key} FROM (${found}) AS page LIMIT ${sql.lit(roundUp(limit))}) AS found
    CROSS JOIN LATERAL (SELECT * FROM ${sql.table(table)} AS each WHERE ${isFound} LIMIT 1) AS listed
    ORDER BY ${listOrder(table, { ascending }, "listed")}`;
}

function keyOf(table: ListTable): RawBuilder<unknown> {
  return hasParts(table) ? sql`position, part` : sql`position`;
}

/** Rounds a limit up to one of a few, so that there are few statements. */
function roundUp(limit: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(512, limit)));
}

/** Selects all columns of the rows with a condition, in list order; `limit` is part of the statement, a constant. */
export function selectRows<Table extends ListTable>(
  dialect: Dialect,
  table: Table,
  condition: Expression<SqlBool>,
  options: { ascending?: boolean; limit: number },
): RawBuilder<ChainTables[Table]> {
  if (dialect.isColumnar) return selectColumnarRows<ChainTables[Table]>(dialect, table, [condition], options);
  return sql<ChainTables[Table]>`SELECT * FROM ${sql.table(table)} WHERE ${condition}
    ORDER BY ${listOrder(table, options)} LIMIT ${sql.lit(options.limit)}`;
}

/**
 * Selects columns of the rows of branches, which must not overlap, from a columnar database. It finds their positions
 * first, because it has only columns of conditions in other orders than the one of positions.
 */
export function selectColumnarRows<Row>(
  dialect: Dialect,
  table: ListTable,
  branches: readonly Expression<SqlBool>[],
  { limit, ascending = false }: { ascending?: boolean; limit: number },
  columns: Expression<unknown> = sql`*`,
): RawBuilder<Row> {
  const key = keyOf(table);
  const order = listOrder(table, { ascending });
  const pages = branches.map(
    (branch) =>
      sql`(SELECT ${key} FROM ${dialect.ordered(table, branch)} WHERE ${branch} ORDER BY ${order} LIMIT ${limit})`,
  );
  return sql<Row>`SELECT ${columns} FROM ${sql.table(table)} WHERE (${key}) IN (
      SELECT ${key} FROM (${sql.join(pages, sql` UNION ALL `)}) AS found ORDER BY ${order} LIMIT ${limit})
    ORDER BY ${order}`;
}

/** The rows of a table by position; missing ones are omitted. */
export async function rowsAt<Table extends "transactions" | "transaction_fees" | "logs">(
  reader: IndexReader,
  table: Table,
  positions: readonly number[],
): Promise<Map<number, ChainTables[Table]>> {
  if (positions.length === 0) return new Map();
  const rows = await reader.all(
    sql<
      ChainTables[Table]
    >`SELECT * FROM ${sql.table(table)} WHERE ${eb("position", "in", padValues(positions))}`,
  );
  return new Map(rows.map((row) => [row.position, row]));
}

/** Each query keeps its own order and limit. */
export function unionAll(queries: readonly Expression<unknown>[]): Expression<unknown> {
  return sql.join(
    queries.map((each) => sql`SELECT * FROM ${each} AS branch`),
    sql` UNION ALL `,
  );
}

/** Conditions for rows within the requested blocks. */
export function blockBounds({
  fromBlock,
  toBlock,
}: Pick<ListOptions, "fromBlock" | "toBlock">): Expression<SqlBool>[] {
  return [
    ...(fromBlock === undefined
      ? []
      : [eb("position", ">=", positionOf(Math.min(fromBlock, LAST_BLOCK), 0))]),
    ...(toBlock === undefined ? [] : [eb("position", "<", positionOf(Math.min(toBlock, LAST_BLOCK) + 1, 0))]),
  ];
}

/** Conditions for rows after the cursor. */
export function afterCursor(
  table: ListTable,
  { after, ascending }: Pick<ListOptions, "after" | "ascending">,
): Expression<SqlBool>[] {
  if (!after) return [];
  const operator = ascending ? ">" : "<";
  if (!hasParts(table)) return [eb("position", operator, after.position)];
  const { refTuple, tuple } = partBuilder;
  return [partBuilder(refTuple("position", "part"), operator, tuple(after.position, after.part))];
}

/** Condition for the row and those after it in list order. */
function fromRow(table: ListTable, { position, part }: RankedRow, ascending: boolean): Expression<SqlBool> {
  const operator = ascending ? ">=" : "<=";
  if (!hasParts(table)) return eb("position", operator, position);
  const { refTuple, tuple } = partBuilder;
  return partBuilder(refTuple("position", "part"), operator, tuple(position, part));
}

/** The order of a list, as its database indexes have it; `source` is the table of the columns if it is not the only one. */
export function listOrder(table: ListTable, { ascending }: Pick<ListOptions, "ascending">, source?: string) {
  const direction = sql.raw(ascending ? "ASC" : "DESC");
  const column = (name: string) => sql.ref(source === undefined ? name : `${source}.${name}`);
  const position = sql`${column("position")} ${direction}`;
  return hasParts(table) ? sql`${position}, ${column("part")} ${direction}` : position;
}

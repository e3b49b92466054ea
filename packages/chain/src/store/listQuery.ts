import { type Expression, expressionBuilder, type SqlBool, sql } from "kysely";
import { positionOf } from "../model/rows.ts";
import { query } from "./indexQuery.ts";
import type { IndexReader } from "./indexReader.ts";
import type { QueryResult } from "./queryResult.ts";
import type { ChainTables } from "./schema.ts";

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
}

/** Position of a log or transaction, with the index in a batch. */
export interface IndexPosition {
  position: number;
  part: number;
}

/** Tables whose rows are listed in the order of the chain. */
export type ListTable = "transactions" | "logs" | "nft_transfers" | "trades";

const eb = expressionBuilder<ChainTables, ListTable>();
const transferBuilder = expressionBuilder<ChainTables, "nft_transfers">();

/**
 * Queries the union of branches, which must not overlap. Each branch is read in order from its own database index.
 */
export async function readList<Table extends ListTable>(
  reader: IndexReader,
  table: Table,
  branches: readonly Expression<SqlBool>[],
  options: ListOptions,
): Promise<QueryResult<ChainTables[Table]>> {
  const { limit, offset } = options;
  const { deadlineCheck } = reader.dialect;
  const source: ListTable = table;
  const bounds = blockBounds(options);
  const order = listOrder(table, options);
  const pages = branches.map((branch) =>
    query
      .selectFrom(source)
      .selectAll()
      .where(eb.and([branch, ...bounds, ...afterCursor(table, options), deadlineCheck]))
      .orderBy(order)
      .limit(limit + offset)
      .$castTo<ChainTables[Table]>(),
  );
  const counts = branches.map((branch) =>
    query
      .selectFrom(source)
      .select(eb.fn.countAll<number>().as("n"))
      .where(eb.and([branch, ...bounds, deadlineCheck])),
  );
  const [rows, [count]] = await Promise.all([
    limit === 0
      ? []
      : reader.all(
          sql<
            ChainTables[Table]
          >`SELECT * FROM (${unionAll(pages)}) AS found ORDER BY ${order} LIMIT ${limit} OFFSET ${offset}`,
          "list",
        ),
    reader.all(query.selectNoFrom(sql<number>`${sql.join(counts, sql` + `)}`.as("n")), "list"),
  ]);
  return { rows, total: count?.n ?? 0 };
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
    ...(fromBlock === undefined ? [] : [eb("position", ">=", positionOf(fromBlock, 0))]),
    ...(toBlock === undefined ? [] : [eb("position", "<", positionOf(toBlock + 1, 0))]),
  ];
}

/** Conditions for rows after the cursor. */
export function afterCursor(
  table: ListTable,
  { after, ascending }: Pick<ListOptions, "after" | "ascending">,
): Expression<SqlBool>[] {
  if (!after) return [];
  const operator = ascending ? ">" : "<";
  if (table !== "nft_transfers") return [eb("position", operator, after.position)];
  const { refTuple, tuple } = transferBuilder;
  return [transferBuilder(refTuple("position", "part"), operator, tuple(after.position, after.part))];
}

/** The order of a list, as its database indexes have it. */
export function listOrder(table: ListTable, { ascending }: Pick<ListOptions, "ascending">) {
  const direction = sql.raw(ascending ? "ASC" : "DESC");
  return table === "nft_transfers"
    ? sql`position ${direction}, part ${direction}`
    : sql`position ${direction}`;
}

import { type AliasedExpression, type Expression, type SqlBool, sql } from "kysely";
import { toBytes, toHex } from "../model/hexBytes.ts";
import { type BlockIdentity, POSITIONS_PER_BLOCK } from "../model/rows.ts";
import { query } from "./indexQuery.ts";
import type { IndexReader } from "./indexReader.ts";
import { afterCursor, blockBounds, type IndexPosition, listOrder, unionAll } from "./listQuery.ts";
import type { ListTable } from "./tables.ts";

/** A query for rows of one table; the branches must not overlap. */
export interface EventQuery<Row> {
  columns: readonly AliasedExpression<unknown, string>[];
  table: ListTable;
  branches: Expression<SqlBool>[];
  fields(row: Row): unknown;
}

/** What to read: rows after a cursor up to the end of a block, at most `limit`. */
export type EventSelection<Row> = [
  query: EventQuery<Row>,
  after: (IndexPosition & { block: BlockIdentity }) | undefined,
  upTo: BlockIdentity,
  limit: number,
];

/** A row with the hash and the time of its block, in seconds since the epoch. */
export interface SelectedEvent<Row> {
  row: Row;
  hash: string;
  timestamp: number;
}

interface EventRow {
  /** null if no row was found. */
  block_hash: Uint8Array | null;
  block_timestamp: number | null;
}

/**
 * Returns rows after a cursor up to the end of a block, with their blocks; undefined if one of the two blocks is not in
 * the index. A single statement, so that all rows are from the same snapshot.
 */
export async function readEvents<Row extends IndexPosition>(
  reader: IndexReader,
  ...[{ columns, table, branches }, after, upTo, limit]: EventSelection<Row>
): Promise<SelectedEvent<Row>[] | undefined> {
  const cursor = { after, ascending: true };
  const conditions = [
    ...blockBounds({ toBlock: upTo.number }),
    ...afterCursor(table, cursor),
    reader.dialect.deadlineCheck,
  ];
  const pages = branches.map((branch) =>
    query
      .selectFrom(table)
      .select(columns)
      .where((eb) => eb.and([branch, ...conditions]))
      .orderBy(listOrder(table, cursor))
      .limit(limit),
  );
  const isAfterIndexed = after
    ? sql`EXISTS (SELECT 1 FROM blocks c WHERE ${isBlock("c", after.block)})`
    : sql`TRUE`;
  const rows = await reader.all(
    sql<EventRow & Row>`
      SELECT found.*, b.hash AS block_hash, b.timestamp AS block_timestamp FROM blocks t
      LEFT JOIN (SELECT * FROM (${unionAll(pages)}) AS branches ORDER BY position, part LIMIT ${limit}) AS found ON TRUE
      LEFT JOIN blocks b ON b.number = found.position / ${sql.lit(POSITIONS_PER_BLOCK)}
      WHERE ${isBlock("t", upTo)} AND ${isAfterIndexed} ORDER BY found.position, found.part`,
    "list",
  );
  if (rows.length === 0) return undefined;
  return rows.flatMap((row) => {
    const { block_hash: hash, block_timestamp: timestamp } = row;
    return hash && timestamp !== null ? [{ row, hash: toHex(hash), timestamp }] : [];
  });
}

/** A condition for the row of a block in a table of blocks. */
export function isBlock(table: string, { number, hash }: BlockIdentity) {
  return sql`${sql.ref(`${table}.number`)} = ${number} AND ${sql.ref(`${table}.hash`)} = ${toBytes(hash)}`;
}

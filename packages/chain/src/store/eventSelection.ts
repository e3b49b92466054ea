import type { AliasedExpression, Expression, SqlBool } from "kysely";
import type { BlockIdentity } from "../model/rows.ts";
import type { IndexPosition } from "./listQuery.ts";
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

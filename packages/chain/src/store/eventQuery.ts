import { sql } from "kysely";
import { toBytes, toHex } from "../model/hexBytes.ts";
import { type BlockIdentity, POSITIONS_PER_BLOCK } from "../model/rows.ts";
import { readColumnarEvents } from "./columnarEvents.ts";
import type { EventSelection, SelectedEvent } from "./eventSelection.ts";
import { query } from "./indexQuery.ts";
import type { IndexReader } from "./indexReader.ts";
import { afterCursor, blockBounds, type IndexPosition, listOrder, unionAll } from "./listQuery.ts";

interface EventRow {
  /** null if no row was found. */
  block_hash: Uint8Array | null;
  block_timestamp: number | null;
}

/**
 * Returns rows after a cursor up to the end of a block, with their blocks; undefined if one of the two blocks is not in
 * the index. A single statement, so that all rows are from the same snapshot. `state` reads the blocks.
 */
export async function readEvents<Row extends IndexPosition>(
  reader: IndexReader,
  state: IndexReader,
  ...selection: EventSelection<Row>
): Promise<SelectedEvent<Row>[] | undefined> {
  if (reader.dialect.isColumnar) return readColumnarEvents(reader, state, ...selection);
  const [{ columns, table, branches }, after, upTo, limit] = selection;
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

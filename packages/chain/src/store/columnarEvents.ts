import { expressionBuilder, type RawBuilder, sql } from "kysely";
import { toHex } from "../model/hexBytes.ts";
import { type BlockIdentity, blockOf, positionOf } from "../model/rows.ts";
import type { EventSelection, SelectedEvent } from "./eventSelection.ts";
import { IndexReadError } from "./indexErrors.ts";
import { query } from "./indexQuery.ts";
import type { IndexReader } from "./indexReader.ts";
import { afterCursor, blockBounds, type IndexPosition, selectColumnarRows } from "./listQuery.ts";
import { padValues } from "./padValues.ts";
import type { BlocksTable, ChainTables, ListTable } from "./tables.ts";

const MAX_TRIES = 5;

const eb = expressionBuilder<ChainTables, ListTable>();

/**
 * Reads events of one state of an index, whose blocks are in another database. Returns undefined if one of the blocks
 * is not in the index. The blocks up to the end of the state are its blocks unless one has been removed meanwhile.
 */
async function readState<T>(
  reader: IndexReader,
  state: IndexReader,
  required: readonly BlockIdentity[],
  read: (pinned: IndexReader) => Promise<T>,
): Promise<T | undefined> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const pinned = await reader.pin?.();
    if (!pinned) throw new Error("the database has no states to read");
    const blocks = await blocksAt(
      state,
      required.map(({ number }) => number),
    );
    const isIndexed = required.every(({ number, hash }) => {
      const block = blocks.get(number);
      return block && toHex(block.hash) === hash && positionOf(number, 0) < pinned.end;
    });
    const found = isIndexed ? await read(pinned.reader) : undefined;
    if (await pinned.isCurrent()) return found;
  }
  throw new IndexReadError("timeout", "the index changes too fast");
}

async function blocksAt(
  state: IndexReader,
  numbers: readonly number[],
): Promise<ReadonlyMap<number, BlocksTable>> {
  if (numbers.length === 0) return new Map();
  const rows = await state.all(
    query.selectFrom("blocks").selectAll().where("number", "in", padValues(numbers)),
  );
  return new Map(rows.map((row) => [row.number, row]));
}

/** See readEvents(). */
export async function readColumnarEvents<Row extends IndexPosition>(
  reader: IndexReader,
  state: IndexReader,
  ...[{ columns, table, branches }, after, upTo, limit]: EventSelection<Row>
): Promise<SelectedEvent<Row>[] | undefined> {
  const cursor = { after, ascending: true };
  const conditions = [...blockBounds({ toBlock: upTo.number }), ...afterCursor(table, cursor)];
  const rows = selectColumnarRows<Row>(
    reader.dialect,
    table,
    branches.map((branch) => eb.and([branch, ...conditions])),
    { ascending: true, limit },
    sql.join(columns),
  );
  const required = after ? [upTo, after.block] : [upTo];
  return readState(reader, state, required, async (pinned) => {
    const found = await pinned.all(rows, "list");
    const blocks = await blocksAt(state, [...new Set(found.map(({ position }) => blockOf(position)))]);
    return found.flatMap((row) => {
      const block = blocks.get(blockOf(row.position));
      return block ? [{ row, hash: toHex(block.hash), timestamp: block.timestamp }] : [];
    });
  });
}

/** See readTouchedAddresses(); `addresses` selects them. */
export async function readColumnarAddresses(
  reader: IndexReader,
  state: IndexReader,
  [after, upTo]: readonly [BlockIdentity, BlockIdentity],
  addresses: RawBuilder<{ address: Uint8Array | null }>,
): Promise<{ address: Uint8Array | null }[] | undefined> {
  return readState(reader, state, [after, upTo], (pinned) => pinned.all(addresses, "list"));
}

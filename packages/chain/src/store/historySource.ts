import { blockOf, positionOf } from "../model/rows.ts";
import type { IndexPosition } from "./listQuery.ts";

/** Max rows of a source per page. */
const MAX_ROWS = 1_000;
/** Rows of the first read, at least, and of each later one. */
const MIN_FIRST_READ = 32;
const NEXT_READ = 512;

interface SourceRow {
  position: number;
  part?: number;
  transaction_index?: number;
}

/** Reads rows in list order, after one of them. */
export type ReadRows<Row> = (limit: number, after: IndexPosition | undefined) => Promise<Row[]>;

/**
 * The rows of one table for a page of transactions, read in list order as far as the page needs them. The logs of a block
 * are in the order of its transactions, so that the rows of a transaction follow each other.
 */
export class HistorySource<Row extends SourceRow> {
  readonly rows: Row[] = [];
  readonly #read: ReadRows<Row>;
  #isComplete = false;

  constructor(read: ReadRows<Row>) {
    this.#read = read;
  }

  /** The transaction up to which the rows have been read, which may have more; undefined after the last row. */
  get end(): number | undefined {
    const last = this.rows.at(-1);
    return this.#isComplete || !last ? undefined : transactionOf(last);
  }

  /** Whether reading has stopped because there are too many rows. */
  get isCut(): boolean {
    return !this.#isComplete && this.rows.length >= MAX_ROWS;
  }

  async readMore(transactions: number): Promise<void> {
    const last = this.rows.at(-1);
    const limit = last ? NEXT_READ : Math.max(MIN_FIRST_READ, roundUp(transactions + 1));
    const rows = await this.#read(limit, last && { position: last.position, part: last.part ?? 0 });
    this.rows.push(...rows);
    this.#isComplete = rows.length < limit;
  }

  /** The rows of each transaction, converted. */
  byTransaction<Item>(convert: (row: Row) => Item): Map<number, Item[]> {
    const items = new Map<number, Item[]>();
    for (const row of this.rows) {
      const transaction = transactionOf(row);
      const others = items.get(transaction);
      if (others) others.push(convert(row));
      else items.set(transaction, [convert(row)]);
    }
    return items;
  }
}

/** Powers of two, so that there are few different reads. */
function roundUp(rows: number): number {
  return 2 ** Math.ceil(Math.log2(rows));
}

/** The position of the transaction of a row. */
export function transactionOf({ position, transaction_index }: SourceRow): number {
  return transaction_index === undefined ? position : positionOf(blockOf(position), transaction_index);
}

type AnySource = Pick<HistorySource<SourceRow>, "rows" | "end" | "isCut" | "readMore">;

/**
 * Reads from sources until they contain all rows of the first `limit` transactions in list order. Returns those
 * transactions: fewer if a source has too many rows, and one in any case.
 */
export async function readTransactions(
  sources: readonly AnySource[],
  { limit, ascending }: { limit: number; ascending: boolean },
): Promise<{ positions: number[]; hasMore: boolean }> {
  const sign = ascending ? 1 : -1;
  const isBefore = (a: number, b: number) => sign * (a - b) < 0;
  const found = new Set<number>();
  let all: number[] = [];
  let pending = sources;
  while (pending.length > 0) {
    await Promise.all(
      pending.map(async (source) => {
        const start = source.rows.length;
        await source.readMore(limit);
        for (let i = start; i < source.rows.length; i++) {
          const row = source.rows[i];
          if (row) found.add(transactionOf(row));
        }
      }),
    );
    all = [...found].sort((a, b) => sign * (a - b));
    // Transactions after these are not part of the page.
    const bounds = [all[limit - 1], ...sources.map((source) => (source.isCut ? source.end : undefined))];
    pending = sources.filter(({ isCut, end }) => {
      if (isCut || end === undefined) return false;
      return bounds.every((bound) => bound === undefined || !isBefore(bound, end));
    });
  }
  // Beyond the end of a source that was cut, rows could be missing.
  const ends = sources.flatMap(({ isCut, end }) => (isCut && end !== undefined ? [end] : []));
  const known = all.filter((position) => ends.every((end) => isBefore(position, end)));
  const positions = (known.length === 0 ? all.slice(0, 1) : known).slice(0, limit);
  return { positions, hasMore: positions.length < all.length || ends.length > 0 };
}

import { type SqlBool, sql } from "kysely";
import { toHex } from "../model/hexBytes.ts";
import type { BlockIdentity } from "../model/rows.ts";
import { query } from "./indexQuery.ts";
import type { IndexReader } from "./indexReader.ts";
import type { CountKey } from "./listCounts.ts";

/** A row of a list, by its place and its rank, which is the number of earlier rows. */
export interface RankedRow {
  rank: number;
  position: number;
  part: number;
}

/** Remembered rows of a list, which apply as long as the block belongs to the chain. */
interface KnownRows {
  upTo: BlockIdentity;
  /** By rank. */
  rows: RankedRow[];
}

/** A list with its length at a block; its remembered rows are up to that block. */
export interface CountedList {
  key: string;
  total: number;
  upTo: BlockIdentity;
}

/** Where to begin to read: at a row, which is the first one, and how many rows to skip from there. */
export interface ListStart {
  from: RankedRow | undefined;
  skip: number;
}

const MAX_LISTS = 1_000;
const MAX_ROWS = 400;

/**
 * Remembers where the pages of long lists begin, by the number of rows before them. New blocks do not change these
 * ranks, so that a page at a large offset is found from a remembered row nearby instead of by skipping all rows.
 */
export class ListPositions {
  readonly #reader: IndexReader;
  readonly #known = new Map<string, KnownRows>();

  constructor(reader: IndexReader) {
    this.#reader = reader;
  }

  /** Reads the length of a list and the latest block at once; undefined without blocks. */
  async count(counts: readonly CountKey[]): Promise<CountedList | undefined> {
    const key = counts.map((each) => `${each.list}:${toHex(each.key)}:${toHex(each.detail)}`).join();
    const known = this.#known.get(key);
    const isOf = counts.map(
      (each) => sql<SqlBool>`(list = ${each.list} AND key = ${each.key} AND detail = ${each.detail})`,
    );
    const rows = await this.#reader.all(
      sql<{ number: number; hash: Uint8Array | null }>`
        SELECT n AS number, NULL AS hash FROM list_counts WHERE ${sql.join(isOf, sql` OR `)}
        UNION ALL SELECT number, hash FROM blocks
        WHERE number = (SELECT max(number) FROM blocks) OR number = ${known?.upTo.number ?? -1}`,
    );
    const blocks = rows.flatMap(({ number, hash }) => (hash ? [{ number, hash: toHex(hash) }] : []));
    const [first] = blocks;
    if (!first) return undefined;
    const upTo = blocks.reduce((newest, each) => (each.number > newest.number ? each : newest), first);
    const isKnown = blocks.some(
      (each) => each.number === known?.upTo.number && each.hash === known.upTo.hash,
    );
    if (!isKnown) this.#known.delete(key);
    const total = rows.reduce((sum, { number, hash }) => (hash ? sum : sum + number), 0);
    return { key, total, upTo };
  }

  /** Finds the remembered row from which the fewest rows are skipped. */
  start({ key, total }: CountedList, offset: number, ascending: boolean): ListStart {
    const rank = ascending ? offset : total - 1 - offset;
    const rows = this.#known.get(key)?.rows ?? [];
    const from = ascending ? rows.findLast((row) => row.rank <= rank) : rows.find((row) => row.rank >= rank);
    return from ? { from, skip: Math.abs(from.rank - rank) } : { from: undefined, skip: offset };
  }

  /** Remembers the first and the last row of a page, unless the chain was reorganized meanwhile. */
  async remember(
    { key, total, upTo }: CountedList,
    offset: number,
    ascending: boolean,
    page: readonly { position: number; part?: number }[],
  ): Promise<void> {
    const current = query.selectFrom("blocks").select("hash").where("number", "=", upTo.number);
    const [block] = await this.#reader.all(current);
    if (!block || toHex(block.hash) !== upTo.hash) return;
    const known = this.#known.get(key)?.rows ?? [];
    const found = [0, page.length - 1].flatMap((i) => {
      const row = page[i];
      const rank = ascending ? offset + i : total - 1 - offset - i;
      return row ? [{ rank, position: row.position, part: row.part ?? 0 }] : [];
    });
    const ranks = new Set(found.map(({ rank }) => rank));
    const rows = [...known.filter(({ rank }) => !ranks.has(rank)), ...found].sort((a, b) => a.rank - b.rank);
    while (rows.length > MAX_ROWS) rows.splice(Math.floor(Math.random() * rows.length), 1);
    this.#known.delete(key);
    const [oldest] = this.#known.keys();
    if (this.#known.size >= MAX_LISTS && oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(key, { upTo, rows });
  }
}

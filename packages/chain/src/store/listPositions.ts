import { type RawBuilder, sql } from "kysely";
import { toHex } from "../model/hexBytes.ts";
import type { BlockIdentity } from "../model/rows.ts";
import { query } from "./indexQuery.ts";
import type { IndexReader } from "./indexReader.ts";
import { type CountKey, isOneOf } from "./listCounts.ts";
import {
  DEFINITION_FACT,
  factsOf,
  isBeingUpgraded,
  isOfWallets,
  KEPT_FACT,
  UPGRADE_FACT,
} from "./upgradeProgress.ts";

/** A row of a list, by its place and its rank, which is the number of earlier rows. */
export interface RankedRow {
  rank: number;
  position: number;
  part: number;
}

/** Remembered rows of a list, which apply as long as the block belongs to the chain. */
interface KnownRows {
  upTo: BlockIdentity;
  /**
   * The facts of the index with which the rows were ranked: an upgrade changes the rows of old blocks, and those that
   * are no longer kept do not count.
   */
  facts: string;
  since: number;
  /** By rank. */
  rows: RankedRow[];
}

/** A list with its length at a block; its remembered rows are up to that block. */
export interface CountedList {
  key: string;
  total: number;
  upTo: BlockIdentity;
  facts: string;
}

/** Where to begin to read: at a row, which is the first one, and how many rows to skip from there. */
export interface ListStart {
  from: RankedRow | undefined;
  skip: number;
}

const MAX_LISTS = 1_000;
const MAX_ROWS = 400;
/** Age after which the rows of a list are forgotten, in ms. */
const MAX_AGE_MS = 5 * 60_000;

interface CountedRow {
  number: number;
  hash: Uint8Array | null;
  fact: string | null;
  value: string | null;
}

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

  /**
   * Reads the length of a list and the latest block at once; undefined without blocks, while an upgrade of the index has
   * counted only a part of the rows, and in an index of known wallets, whose old blocks get more rows.
   */
  async count(counts: readonly CountKey[]): Promise<CountedList | undefined> {
    const key = counts.map((each) => `${each.list}:${toHex(each.key)}:${toHex(each.detail)}`).join();
    const list = await this.#read(
      key,
      sql`SELECT n AS number, NULL AS hash, NULL AS fact, NULL AS value FROM list_counts
        WHERE ${isOneOf(counts)} UNION ALL`,
    );
    if (!list) return undefined;
    const total = list.rows.reduce((sum, { number, hash }) => (hash ? sum : sum + number), 0);
    return { key, total, upTo: list.upTo, facts: list.facts };
  }

  /** As `count()`, for a list whose length the index does not contain: `countUpTo` counts its rows up to a block. */
  async countWith(
    key: string,
    countUpTo: (block: BlockIdentity) => Promise<number>,
  ): Promise<CountedList | undefined> {
    const list = await this.#read(key, sql``);
    return list && { key, total: await countUpTo(list.upTo), upTo: list.upTo, facts: list.facts };
  }

  /** Reads the latest block and the facts with the lengths, and forgets the known rows of a list if they changed. */
  async #read(key: string, lengths: RawBuilder<unknown>) {
    const known = this.#known.get(key);
    const rows = await this.#reader.all(
      sql<CountedRow>`${lengths} SELECT number, hash, NULL AS fact, NULL AS value FROM blocks
        WHERE number = (SELECT max(number) FROM blocks) OR number = ${known?.upTo.number ?? -1}
        UNION ALL SELECT 0, NULL, key, value FROM facts WHERE key IN (${DEFINITION_FACT}, ${UPGRADE_FACT}, ${KEPT_FACT})`,
    );
    const facts = factsOf(rows);
    const blocks = rows.flatMap(({ number, hash }) => (hash ? [{ number, hash: toHex(hash) }] : []));
    const [first] = blocks;
    if (!first || isBeingUpgraded(facts) || isOfWallets(facts)) {
      this.#known.delete(key);
      return undefined;
    }
    const upTo = blocks.reduce((newest, each) => (each.number > newest.number ? each : newest), first);
    const made = [DEFINITION_FACT, UPGRADE_FACT, KEPT_FACT].map((key) => facts.get(key)).join(" ");
    const isValid =
      known?.facts === made &&
      Date.now() - known.since < MAX_AGE_MS &&
      blocks.some((each) => each.number === known.upTo.number && each.hash === known.upTo.hash);
    if (!isValid && this.#known.get(key) === known) this.#known.delete(key);
    return { rows, upTo, facts: made };
  }

  /** Finds the remembered row from which the fewest rows are skipped. */
  start({ key, total, upTo, facts }: CountedList, offset: number, ascending: boolean): ListStart {
    const rank = ascending ? offset : total - 1 - offset;
    const known = this.#known.get(key);
    const applies = known && known.facts === facts && known.upTo.number <= upTo.number;
    const rows = applies ? known.rows : [];
    const from = ascending ? rows.findLast((row) => row.rank <= rank) : rows.find((row) => row.rank >= rank);
    return from ? { from, skip: Math.abs(from.rank - rank) } : { from: undefined, skip: offset };
  }

  /**
   * Remembers the first and the last row of a page, unless the chain was reorganized meanwhile. A request that was
   * overtaken by one at a later block remembers nothing: the rows of the later block are not known at its own.
   */
  async remember(
    { key, total, upTo, facts }: CountedList,
    offset: number,
    ascending: boolean,
    page: readonly { position: number; part?: number }[],
  ): Promise<void> {
    const current = query.selectFrom("blocks").select("hash").where("number", "=", upTo.number);
    const [block] = await this.#reader.all(current);
    if (!block || toHex(block.hash) !== upTo.hash) return;
    const known = this.#known.get(key);
    if (known && known.upTo.number > upTo.number) return;
    const kept = known?.facts === facts ? known : undefined;
    const found = [0, page.length - 1].flatMap((i) => {
      const row = page[i];
      const rank = ascending ? offset + i : total - 1 - offset - i;
      return row ? [{ rank, position: row.position, part: row.part ?? 0 }] : [];
    });
    const ranks = new Set(found.map(({ rank }) => rank));
    const others = (kept?.rows ?? []).filter(({ rank }) => !ranks.has(rank));
    const rows = [...others, ...found].sort((a, b) => a.rank - b.rank);
    while (rows.length > MAX_ROWS) rows.splice(Math.floor(Math.random() * rows.length), 1);
    this.#known.delete(key);
    const [oldest] = this.#known.keys();
    if (this.#known.size >= MAX_LISTS && oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(key, { upTo, facts, rows, since: kept?.since ?? Date.now() });
  }
}

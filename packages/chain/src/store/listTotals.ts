import { type Expression, expressionBuilder, type SqlBool, sql } from "kysely";
import { toHex } from "../model/hexBytes.ts";
import { type BlockIdentity, positionOf } from "../model/rows.ts";
import { readFact } from "./facts.ts";
import { query, queryKey } from "./indexQuery.ts";
import type { IndexReader } from "./indexReader.ts";
import { type CountKey, isOneOf } from "./listCounts.ts";
import { type CountedList, ListPositions } from "./listPositions.ts";
import { COUNTED_VERSION } from "./schema.ts";
import type { ChainTables, ListTable } from "./tables.ts";
import { DEFINITION_FACT, factsOf, isBeingUpgraded, KEPT_FACT, UPGRADE_FACT } from "./upgradeProgress.ts";

/** Totals from this size are cached; smaller lists are counted each time. */
const MIN_CACHED = 1_000;
const MAX_CACHED = 2_000;
/**
 * Age after which a list is counted again, in ms, because an upgrade or the history of a wallet changes older blocks.
 */
const MAX_AGE_MS = 5 * 60_000;

/** The number of rows up to the end of a block. */
interface CachedTotal {
  total: number;
  upTo: BlockIdentity;
  countedAt: number;
  /** The facts of the index that was counted: how it was built, and the first block whose events were kept. */
  facts: string;
}

const eb = expressionBuilder<ChainTables, ListTable>();

/**
 * Total numbers of rows of the lists of one index. The index contains those of lists without bounds; others are
 * counted. The total of a long one is cached with the block up to which it applies; afterwards only the rows of
 * later blocks are counted, unless the block was removed.
 */
export class ListTotals {
  readonly #reader: IndexReader;
  readonly #blocks: IndexReader;
  readonly #cache = new Map<string, CachedTotal>();
  /** Whether the index contains the lengths of lists; another one that takes its place does, too. */
  #isCounted = false;
  /** Where the pages of long lists begin. */
  readonly positions: ListPositions;
  readonly #running = new Map<string, Promise<number>>();

  /** `blocks` reads the blocks if `reader` reads only events. */
  constructor(reader: IndexReader, blocks = reader) {
    this.#reader = reader;
    this.#blocks = blocks;
    this.positions = new ListPositions(reader);
  }

  /**
   * The number of rows of branches that do not overlap. Concurrent requests for the same list are counted once.
   * `counts` are the lists of the branches if the index contains their lengths.
   */
  async count(
    table: ListTable,
    branches: readonly Expression<SqlBool>[],
    counts?: readonly CountKey[],
  ): Promise<number> {
    const sum = counts && (await this.#hasCounts()) ? await this.#sumOf(counts) : undefined;
    if (sum !== undefined) return sum;
    return this.#countRows(table, branches);
  }

  /** Whether pages can be found by the ranks of their rows, unless it is an index of known wallets. */
  hasRanks(): Promise<boolean> {
    return this.#hasCounts();
  }

  /**
   * The length of a list without bounds at the latest block, to find its rows by their ranks; undefined if it is not
   * known and `mayCount` is false, during an upgrade of the index, and in one of known wallets.
   */
  countedList(
    table: ListTable,
    branches: readonly Expression<SqlBool>[],
    counts: readonly CountKey[] | undefined,
    mayCount: boolean,
  ): Promise<CountedList | undefined> {
    if (counts) return this.positions.count(counts);
    const key = queryKey(this.#reader.dialect.compiler, this.#countOf(table, branches));
    if (!mayCount && !this.#findCached(key)) return Promise.resolve(undefined);
    return this.positions.countWith(key, (block) => this.#countOnce(key, table, branches, block));
  }

  /** Whether the index contains lengths of lists: one of an earlier version does not before its upgrade. */
  async #hasCounts(): Promise<boolean> {
    if (this.#reader.dialect.isColumnar) return false;
    if (this.#isCounted) return true;
    const { layout = 0 }: { layout?: number } = JSON.parse(
      (await readFact(this.#reader, DEFINITION_FACT)) ?? "{}",
    );
    this.#isCounted = layout >= COUNTED_VERSION;
    return this.#isCounted;
  }

  /** undefined while an upgrade of the index has counted only a part of the rows. */
  async #sumOf(counts: readonly CountKey[]): Promise<number | undefined> {
    const rows = await this.#reader.all(
      sql<{ n: number; fact: string | null; value: string | null }>`
        SELECT n, NULL AS fact, NULL AS value FROM list_counts WHERE ${isOneOf(counts)}
        UNION ALL SELECT 0, key, value FROM facts WHERE key IN (${DEFINITION_FACT}, ${UPGRADE_FACT})`,
    );
    return isBeingUpgraded(factsOf(rows)) ? undefined : rows.reduce((sum, { n }) => sum + n, 0);
  }

  #countRows(table: ListTable, branches: readonly Expression<SqlBool>[]): Promise<number> {
    const key = queryKey(this.#reader.dialect.compiler, this.#countOf(table, branches));
    return this.#countOnce(key, table, branches);
  }

  /** Joins a count that is running up to the same block. */
  #countOnce(
    key: string,
    table: ListTable,
    branches: readonly Expression<SqlBool>[],
    upTo?: BlockIdentity,
  ): Promise<number> {
    const countKey = upTo ? `${upTo.hash} ${key}` : key;
    const running = this.#running.get(countKey);
    if (running) return running;
    const counting = this.#countAndCache(key, table, branches, upTo).finally(() =>
      this.#running.delete(countKey),
    );
    this.#running.set(countKey, counting);
    return counting;
  }

  /** Counts up to the latest block, or up to a given one. */
  async #countAndCache(
    key: string,
    table: ListTable,
    branches: readonly Expression<SqlBool>[],
    upTo?: BlockIdentity,
  ): Promise<number> {
    const cached = this.#findCached(key);
    const { newest: latest, isCacheValid, facts } = await this.#readBlocks(cached);
    const newest = upTo ?? latest;
    if (!newest) return 0;
    const base = cached && isCacheValid && cached.upTo.number <= newest.number ? cached : undefined;
    if (base?.upTo.number === newest.number) return base.total;
    const before = eb("position", "<", positionOf(newest.number + 1, 0));
    const bounds = base ? [before, eb("position", ">=", positionOf(base.upTo.number + 1, 0))] : [before];
    const counted = branches.map((branch) => eb.and([branch, ...bounds]));
    const [row] = await this.#reader.all(this.#countOf(table, counted), "list");
    const total = (base?.total ?? 0) + (row?.n ?? 0);
    this.#cache.delete(key);
    if (total >= MIN_CACHED) {
      const [oldest] = this.#cache.keys();
      if (this.#cache.size >= MAX_CACHED && oldest !== undefined) this.#cache.delete(oldest);
      this.#cache.set(key, {
        ...{ total, upTo: newest, facts },
        countedAt: base?.countedAt ?? Date.now(),
      });
    }
    return total;
  }

  #findCached(key: string): CachedTotal | undefined {
    const cached = this.#cache.get(key);
    return cached && Date.now() - cached.countedAt < MAX_AGE_MS ? cached : undefined;
  }

  /** The latest block, the facts of the index, and whether a cached total applies. */
  async #readBlocks(cached: CachedTotal | undefined): Promise<{
    newest: BlockIdentity | undefined;
    isCacheValid: boolean;
    facts: string;
  }> {
    const rows = await this.#blocks.all(
      sql<{ number: number; hash: Uint8Array | null; fact: string | null; value: string | null }>`
        SELECT number, hash, NULL AS fact, NULL AS value FROM blocks
        WHERE number = (SELECT max(number) FROM blocks) OR number = ${cached?.upTo.number ?? -1}
        UNION ALL SELECT 0, NULL, key, value FROM facts WHERE key IN (${DEFINITION_FACT}, ${KEPT_FACT})`,
    );
    const known = factsOf(rows);
    const facts = [DEFINITION_FACT, KEPT_FACT].map((key) => known.get(key)).join(" ");
    const blocks = rows
      .flatMap(({ number, hash }) => (hash ? [{ number, hash: toHex(hash) }] : []))
      .sort((a, b) => b.number - a.number);
    const isCacheValid =
      facts === cached?.facts &&
      blocks.some(({ number, hash }) => number === cached?.upTo.number && hash === cached.upTo.hash);
    return { newest: blocks[0], isCacheValid, facts };
  }

  #countOf(table: ListTable, branches: readonly Expression<SqlBool>[]) {
    const { dialect } = this.#reader;
    const counts = branches.map(
      (branch) =>
        sql`(SELECT count(*) FROM ${dialect.ordered(table, branch)} WHERE ${eb.and([branch, dialect.deadlineCheck])})`,
    );
    return query.selectNoFrom(sql<number>`${sql.join(counts, sql` + `)}`.as("n"));
  }
}

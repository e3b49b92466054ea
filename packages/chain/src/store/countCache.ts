import { sql } from "kysely";
import { toHex } from "../model/hexBytes.ts";
import { type IndexQuery, queryKey } from "./indexQuery.ts";
import type { IndexReader } from "./indexReader.ts";
import { DEFINITION_FACT } from "./upgradeProgress.ts";

/** Counts from this size are cached; smaller ones are read each time. */
const MIN_CACHED = 1_000;
const MAX_CACHED = 500;
/** Age after which a count is read again, in ms, because an upgrade or the history of a wallet changes older blocks. */
const MAX_AGE_MS = 5 * 60_000;

/** The number of balances of a selection, and of ranges of tokens that are not listed individually. */
export interface HeldCount {
  n: number;
  ranges: number;
}

interface CachedCount {
  count: HeldCount;
  /** The latest block, and how the index was built. */
  state: string;
  countedAt: number;
}

/** Caches large counts of balances until the next block, so that requests for many pages count once. */
export class CountCache {
  readonly #reader: IndexReader;
  readonly #cache = new Map<string, CachedCount>();
  readonly #running = new Map<string, Promise<HeldCount>>();

  constructor(reader: IndexReader) {
    this.#reader = reader;
  }

  /** Reads the row of a query that counts. Concurrent requests for the same count of a block share it. */
  async read(counting: IndexQuery<HeldCount>): Promise<HeldCount> {
    const key = queryKey(this.#reader.dialect.compiler, counting);
    const state = await this.#indexState();
    const cached = this.#cache.get(key);
    if (cached?.state === state && Date.now() - cached.countedAt < MAX_AGE_MS) return cached.count;
    const shared = `${state} ${key}`;
    const running = this.#running.get(shared);
    if (running) return running;
    const count = this.#countAndCache(key, state, counting).finally(() => this.#running.delete(shared));
    this.#running.set(shared, count);
    return count;
  }

  async #countAndCache(key: string, state: string, counting: IndexQuery<HeldCount>): Promise<HeldCount> {
    const [count = { n: 0, ranges: 0 }] = await this.#reader.all(counting, "list");
    this.#cache.delete(key);
    if (count.n < MIN_CACHED) return count;
    // The count is that of another block if one was written meanwhile.
    if ((await this.#indexState()) !== state) return count;
    const [oldest] = this.#cache.keys();
    if (this.#cache.size >= MAX_CACHED && oldest !== undefined) this.#cache.delete(oldest);
    this.#cache.set(key, { count, state, countedAt: Date.now() });
    return count;
  }

  /** Hash of the latest block, and how the index was built: another one can take its place at the same block. */
  async #indexState(): Promise<string> {
    const rows = await this.#reader.all(
      sql<{ hash: Uint8Array | null; value: string | null }>`
        SELECT hash, NULL AS value FROM blocks WHERE number = (SELECT max(number) FROM blocks)
        UNION ALL SELECT NULL, value FROM facts WHERE key = ${DEFINITION_FACT}`,
    );
    const texts = rows.map(({ hash, value }) => (hash ? toHex(hash) : value));
    return texts.sort().join(" ");
  }
}

import { toHex } from "../model/hexBytes.ts";
import { type IndexQuery, query, queryKey } from "./indexQuery.ts";
import type { IndexReader } from "./indexReader.ts";

/** Counts from this size are kept; smaller ones are read each time. */
const MIN_KEPT = 1_000;
const MAX_KEPT = 500;
/** Age after which a count is read again, in ms, because an upgrade or the history of a wallet changes older blocks. */
const MAX_AGE_MS = 5 * 60_000;

/** The number of balances of a selection, and of ranges of tokens that are not listed individually. */
export interface HeldCount {
  n: number;
  ranges: number;
}

interface KeptCount {
  count: HeldCount;
  /** Hash of the latest block. */
  block: string;
  countedAt: number;
}

/** Keeps large counts of balances until the next block, so that requests for many pages count once. */
export class KeptCounts {
  readonly #reader: IndexReader;
  readonly #kept = new Map<string, KeptCount>();
  readonly #running = new Map<string, Promise<HeldCount>>();

  constructor(reader: IndexReader) {
    this.#reader = reader;
  }

  /** Reads the row of a query that counts. Concurrent requests for the same count of a block share it. */
  async read(counting: IndexQuery<HeldCount>): Promise<HeldCount> {
    const key = queryKey(this.#reader.dialect.compiler, counting);
    const block = await this.#newestBlock();
    const kept = this.#kept.get(key);
    if (kept?.block === block && Date.now() - kept.countedAt < MAX_AGE_MS) return kept.count;
    const shared = `${block} ${key}`;
    const running = this.#running.get(shared);
    if (running) return running;
    const count = this.#countAndKeep(key, block, counting).finally(() => this.#running.delete(shared));
    this.#running.set(shared, count);
    return count;
  }

  async #countAndKeep(key: string, block: string, counting: IndexQuery<HeldCount>): Promise<HeldCount> {
    const [count = { n: 0, ranges: 0 }] = await this.#reader.all(counting, "list");
    this.#kept.delete(key);
    if (count.n < MIN_KEPT) return count;
    // The count is that of another block if one was written meanwhile.
    if ((await this.#newestBlock()) !== block) return count;
    const [oldest] = this.#kept.keys();
    if (this.#kept.size >= MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    this.#kept.set(key, { count, block, countedAt: Date.now() });
    return count;
  }

  /** Hash of the latest block. */
  async #newestBlock(): Promise<string> {
    const newest = query.selectFrom("blocks").select("hash").orderBy("number", "desc").limit(1);
    const [block] = await this.#reader.all(newest);
    return block ? toHex(block.hash) : "";
  }
}

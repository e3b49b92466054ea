import type { ChainConfig } from "../model/chainConfig.ts";
import type { Logger } from "../model/logger.ts";
import type { ChainStore } from "../store/chainStore.ts";
import type { ChainIndex } from "../store/openIndex.ts";

export interface RetentionOptions {
  index: Pick<ChainIndex, "removal"> & { store: Pick<ChainStore, "blockAfter" | "firstKeptBlock"> };
  /** How many blocks and how many days to keep the events of, at least; all of them if both are undefined. */
  keep: Pick<ChainConfig, "keepBlocks" | "keepDays">;
  chainName: string;
  log: Logger;
  /** The current time in ms since the epoch. */
  now?: () => number;
}

/** Blocks whose events are kept at least, whatever their age: more than a reorganization removes. */
const MIN_KEPT_BLOCKS = 10_000;
const DAY_MS = 86_400_000;
/** How long a first block by days applies, in ms. */
const REFRESH_MS = 60_000;

/** Removes the events of old blocks while later ones are indexed. */
export class Retention {
  readonly #options: RetentionOptions;
  readonly #now: () => number;
  #keptFrom: number | undefined;
  /** The first block of the days to keep, which only grows, and when it was read. */
  #firstOfDays: { block: number; readAt: number } | undefined;

  constructor(options: RetentionOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    const { index, chainName, log } = options;
    if (this.#isLimited && !index.removal)
      log.warn("no events are removed: the index is not partitioned", { chain: chainName });
  }

  /** The first block whose events are kept; undefined if none have been removed. */
  get keptFrom(): number | undefined {
    return this.#keptFrom;
  }

  /** Reads what this or another process has removed. */
  async refresh(): Promise<void> {
    const { store, removal } = this.#options.index;
    if (removal) this.#keptFrom = await store.firstKeptBlock();
  }

  /**
   * Does the next step of removing the events before the blocks to keep, after a block was indexed; returns whether
   * there are more. Blocks that are not final are kept in any case, so that a reorganization finds their events.
   */
  async apply(indexed: number, finalized: number | null): Promise<boolean> {
    const { index, keep, chainName, log } = this.#options;
    if (!this.#isLimited || !index.removal) return false;
    const byCount = indexed + 1 - (keep.keepBlocks ?? MIN_KEPT_BLOCKS);
    const limit = Math.min(byCount, finalized ?? Number.POSITIVE_INFINITY);
    if (limit <= 0) return false;
    const before = Math.min(limit, await this.#firstBlockOfDays());
    if (before <= 0) return false;
    const { isRemoved, hasMore } = await index.removal.removeBefore(before);
    if (!isRemoved) return hasMore;
    await this.refresh();
    log.info("removed the events of old blocks", { chain: chainName, keptFrom: this.#keptFrom });
    return hasMore;
  }

  get #isLimited(): boolean {
    const { keepBlocks, keepDays } = this.#options.keep;
    return keepBlocks !== undefined || keepDays !== undefined;
  }

  /** The first block of the days to keep; infinite if all indexed blocks are older, or without such days. */
  async #firstBlockOfDays(): Promise<number> {
    const { index, keep } = this.#options;
    if (keep.keepDays === undefined) return Number.POSITIVE_INFINITY;
    const now = this.#now();
    const known = this.#firstOfDays;
    if (known && now - known.readAt < REFRESH_MS) return known.block;
    const first = await index.store.blockAfter(Math.floor((now - keep.keepDays * DAY_MS) / 1_000));
    if (!first) return Number.POSITIVE_INFINITY;
    this.#firstOfDays = { block: first.number, readAt: now };
    return first.number;
  }
}

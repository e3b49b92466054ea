import type { Logger } from "../model/logger.ts";
import type { ChainIndex } from "../store/openIndex.ts";

export interface RetentionOptions {
  index: Pick<ChainIndex, "store" | "partitions">;
  /** How many blocks to keep the events of, at least; all of them if undefined. */
  keepBlocks: number | undefined;
  chainName: string;
  log: Logger;
}

/** Removes the events of old blocks from a partitioned index while later ones are indexed. */
export class Retention {
  readonly #options: RetentionOptions;
  #keptFrom: number | undefined;

  constructor(options: RetentionOptions) {
    this.#options = options;
    const { index, keepBlocks, chainName, log } = options;
    if (keepBlocks !== undefined && !index.partitions)
      log.warn("no events are removed: the index is not partitioned", { chain: chainName });
  }

  /** The first block whose events are kept; undefined if none have been removed. */
  get keptFrom(): number | undefined {
    return this.#keptFrom;
  }

  /** Reads what this or another process has removed. */
  async refresh(): Promise<void> {
    const { store, partitions } = this.#options.index;
    if (partitions) this.#keptFrom = await store.firstKeptBlock();
  }

  /**
   * Does the next step of removing the partitions before the blocks to keep, after a block was indexed; returns whether
   * there are more. Blocks that are not final are kept in any case, so that a reorganization finds their events.
   */
  async apply(indexed: number, finalized: number | null): Promise<boolean> {
    const { index, keepBlocks, chainName, log } = this.#options;
    if (keepBlocks === undefined || !index.partitions) return false;
    const before = Math.min(indexed + 1 - keepBlocks, finalized ?? Number.POSITIVE_INFINITY);
    if (before <= 0) return false;
    const { isRemoved, hasMore } = await index.partitions.removeBefore(before);
    if (!isRemoved) return hasMore;
    await this.refresh();
    log.info("removed the events of old blocks", { chain: chainName, keptFrom: this.#keptFrom });
    return hasMore;
  }
}

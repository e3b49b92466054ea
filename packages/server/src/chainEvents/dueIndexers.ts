import type { BlockReference, ChainEventReader } from "@purse/chain";
import type { WatchIndexer } from "./watchIndexer.ts";

type EventLookup = Pick<ChainEventReader, "head" | "touchedAddresses">;

/**
 * Finds the indexers that have something to do. The addresses that a new block concerns are looked up once, so that
 * inactive ones cost nothing, regardless of their number.
 */
export class DueIndexers {
  readonly #readerOf: (chainId: number) => EventLookup | undefined;
  readonly #onError: (chainId: number, error: unknown) => void;
  /** The head of each chain at the last lookup of new blocks. */
  readonly #heads = new Map<number, BlockReference>();

  /**
   * `readerOf` returns undefined while the database of a chain is unavailable. `onError` is called if a chain cannot be
   * read. In both cases, its indexers wait for the next call.
   */
  constructor(
    readerOf: (chainId: number) => EventLookup | undefined,
    onError: (chainId: number, error: unknown) => void,
  ) {
    this.#readerOf = readerOf;
    this.#onError = onError;
  }

  async find(indexers: ReadonlyMap<string, WatchIndexer>): Promise<[key: string, indexer: WatchIndexer][]> {
    const byChain = Map.groupBy(indexers, ([, { chainId }]) => chainId);
    const due: [string, WatchIndexer][] = [];
    for (const [chainId, entries] of byChain) {
      try {
        const reader = this.#readerOf(chainId);
        const head = reader && (await this.#notifyOfNewBlocks(reader, chainId, entries));
        if (head) due.push(...entries.filter(([, indexer]) => indexer.isDue(head)));
      } catch (error) {
        this.#onError(chainId, error);
      }
    }
    return due;
  }

  async #notifyOfNewBlocks(
    reader: EventLookup,
    chainId: number,
    entries: readonly [string, WatchIndexer][],
  ): Promise<BlockReference | undefined> {
    const head = await reader.head();
    const previous = this.#heads.get(chainId);
    if (!head || head.hash === previous?.hash) return head;
    const touched = previous && (await reader.touchedAddresses(previous, head));
    for (const [, indexer] of entries) if (!touched || touched.has(indexer.address)) indexer.touch(head);
    this.#heads.set(chainId, head);
    return head;
  }
}

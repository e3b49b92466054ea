import type { BlockReference, ChainEventReader } from "@purse/chain";
import type { OutageLog } from "../../core/outageLog.ts";
import type { WatchIndexer } from "./watchIndexer.ts";

type EventLookup = Pick<ChainEventReader, "head" | "touchedAddresses">;

/**
 * Finds the indexers that have something to do. The addresses that a new block concerns are looked up once, so that
 * inactive ones cost nothing, regardless of their number.
 */
export class DueIndexers {
  readonly #readerOf: (chainId: number) => EventLookup | undefined;
  readonly #outages: Pick<OutageLog, "failed" | "succeeded">;
  /** The head of each chain at the last lookup of new blocks. */
  readonly #heads = new Map<number, BlockReference>();

  /**
   * `readerOf` returns undefined while the database of a chain is unavailable. The indexers of a chain that cannot be read
   * wait for the next call.
   */
  constructor(
    readerOf: (chainId: number) => EventLookup | undefined,
    outages: Pick<OutageLog, "failed" | "succeeded">,
  ) {
    this.#readerOf = readerOf;
    this.#outages = outages;
  }

  async find(indexers: ReadonlyMap<string, WatchIndexer>): Promise<[key: string, indexer: WatchIndexer][]> {
    const byChain = Map.groupBy(indexers, ([, { chainId }]) => chainId);
    const due: [string, WatchIndexer][] = [];
    for (const [chainId, entries] of byChain) {
      try {
        const reader = this.#readerOf(chainId);
        const head = reader && (await this.#notifyOfNewBlocks(reader, chainId, entries));
        if (reader)
          this.#outages.succeeded(`chain ${chainId}`, "events of a chain are stored again", {
            chain: chainId,
          });
        if (head) due.push(...entries.filter(([, indexer]) => indexer.isDue(head)));
      } catch (error) {
        const details = { chain: chainId, error: String(error) };
        this.#outages.failed(`chain ${chainId}`, "events of a chain could not be stored", details);
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

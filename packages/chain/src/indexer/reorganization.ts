import type { ChainConfig } from "../model/chainConfig.ts";
import type { Logger } from "../model/logger.ts";
import type { BlockRow } from "../model/rows.ts";
import type { ChainNode } from "../node/chainNode.ts";
import type { ChainStore } from "../store/chainStore.ts";
import type { IndexWriter } from "../store/indexWriter.ts";

export interface ReorganizationDependencies {
  config: ChainConfig;
  node: ChainNode;
  store: ChainStore;
  writer: IndexWriter;
  log: Logger;
}

/** Max consecutive polls in which a node may lag behind the index. */
const MAX_POLLS_BEHIND = 10;
/** For a chain with a single node, whose head cannot lag behind another one's. */
const MAX_POLLS_BEHIND_SINGLE_NODE = 1;
/** Headers per request in the search for the common ancestor. */
const COMPARE_BATCH_SIZE = 100;

/** Notices reorganizations of a chain, and removes the blocks of the index that the node no longer has. */
export class Reorganization {
  readonly #dependencies: ReorganizationDependencies;
  #pollsBehind = 0;

  constructor(dependencies: ReorganizationDependencies) {
    this.#dependencies = dependencies;
  }

  /** Compares the latest indexed block with the node, and unwinds to the common ancestor if they differ. */
  async compare(checkpoint: BlockRow, head: number): Promise<"same" | "behind" | "reorganized"> {
    const { node, writer, config, log } = this.#dependencies;
    if (checkpoint.number <= head) {
      const nodeHeader = await node.getHeader(checkpoint.number);
      if (nodeHeader?.hash === checkpoint.hash) {
        this.#pollsBehind = 0;
        return "same";
      }
      // A missing block may exist on another node: only a different block is a reorganization.
      if (!nodeHeader && this.#pollsBehind < MAX_POLLS_BEHIND) {
        this.#pollsBehind += 1;
        return "behind";
      }
    } else if (
      this.#pollsBehind < (config.rpcUrls.length > 1 ? MAX_POLLS_BEHIND : MAX_POLLS_BEHIND_SINGLE_NODE)
    ) {
      // One of several nodes often lags briefly; only a persistent lag is a reorganization.
      const newest = await this.#newestBlockUpTo(head);
      if (!newest || (await node.getHeader(newest.number))?.hash === newest.hash) {
        this.#pollsBehind += 1;
        return "behind";
      }
    }
    this.#pollsBehind = 0;
    // Verify before removing blocks: a node that now serves another chain has none of them either.
    node.recheckChainId();
    const common = await this.#commonAncestor(Math.min(checkpoint.number, head));
    log.info("the chain was reorganized", { chain: config.name, from: checkpoint.number, to: common });
    await writer.unwind(common);
    return "reorganized";
  }

  async #newestBlockUpTo(number: number): Promise<BlockRow | undefined> {
    const [newest] = await this.#dependencies.store.blocksDownFrom(number, 1);
    return newest;
  }

  /**
   * The latest block up to a number that index and node have in common; the one before the start block if there is
   * none.
   */
  async #commonAncestor(upTo: number): Promise<number> {
    const { node, store, config } = this.#dependencies;
    let from = upTo;
    for (;;) {
      const indexedBlocks = await store.blocksDownFrom(from, COMPARE_BATCH_SIZE);
      const lowest = indexedBlocks.at(-1);
      if (!lowest) return (config.startBlock ?? 0) - 1;
      const nodeHeaders = await node.getHeaders(indexedBlocks.map(({ number }) => number));
      const common = indexedBlocks.find(({ hash }, i) => nodeHeaders[i]?.hash === hash);
      if (common) return common.number;
      from = lowest.number - 1;
    }
  }
}

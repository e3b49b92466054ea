import type { ChainConfig } from "../model/chainConfig.ts";
import type { Logger } from "../model/logger.ts";
import type { BlockIdentity, BlockRow } from "../model/rows.ts";
import type { ChainNode } from "../node/chainNode.ts";
import { OtherChainError, RpcUnreachableError } from "../node/rpcErrors.ts";
import type { ChainStore } from "../store/chainStore.ts";
import type { IndexWriter } from "../store/indexWriter.ts";
import { canBeReset, type Finality } from "./finality.ts";

export interface ReorganizationDependencies {
  config: ChainConfig;
  node: ChainNode;
  store: ChainStore;
  writer: IndexWriter;
  finality: Finality;
  log: Logger;
}

/** Max consecutive polls in which a node may lag behind the index. */
const MAX_POLLS_BEHIND = 10;
/** For a chain with a single node, whose head cannot lag behind another one's. */
const MAX_POLLS_BEHIND_SINGLE_NODE = 1;
/** Headers per request in the search for the common ancestor. */
const COMPARE_BATCH_SIZE = 100;
/** Reorganizations of more blocks are warned of. */
const DEEP = 64;

/** Notices reorganizations of a chain, and removes the blocks of the index that the node has replaced. */
export class Reorganization {
  readonly #dependencies: ReorganizationDependencies;
  #pollsBehind = 0;

  constructor(dependencies: ReorganizationDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Compares the latest indexed block with the node, and unwinds to the common ancestor if they differ. Rejects with
   * InvalidNodeDataError if the node has replaced final blocks.
   */
  async compare(checkpoint: BlockRow, head: number): Promise<"same" | "behind" | "reorganized"> {
    const { node, config } = this.#dependencies;
    const [limit, isTest] = [
      config.rpcUrls.length > 1 ? MAX_POLLS_BEHIND : MAX_POLLS_BEHIND_SINGLE_NODE,
      canBeReset(config),
    ];
    if (checkpoint.number <= head) {
      const nodeHeader = await node.getHeader(checkpoint.number);
      if (nodeHeader?.hash === checkpoint.hash) {
        this.#pollsBehind = 0;
        return "same";
      }
      // A missing block may exist on another node: only a different block is a reorganization.
      if (!nodeHeader) return this.#isBehind(MAX_POLLS_BEHIND, checkpoint.number);
    } else if (this.#pollsBehind < limit || !isTest) {
      // A node often lags, but no chain becomes shorter, except one that its developer has set back.
      const newest = await this.#newestBlockUpTo(head);
      if (!newest || (await node.getHeader(newest.number))?.hash === newest.hash) {
        this.#pollsBehind = Math.min(limit, this.#pollsBehind + 1);
        return "behind";
      }
    }
    this.#pollsBehind = 0;
    // Verify before removing blocks: a node that now serves another chain has none of them either.
    node.recheckChain();
    await this.#unwind(checkpoint, Math.min(checkpoint.number, head));
    return "reorganized";
  }

  #isBehind(limit: number, missing: number): "behind" {
    this.#pollsBehind += 1;
    if (this.#pollsBehind <= limit) return "behind";
    this.#pollsBehind = 0;
    const error = new RpcUnreachableError(`the node's blocks from ${missing} are missing or inconsistent`);
    this.#dependencies.node.penalize(error);
    throw error;
  }

  async #unwind(checkpoint: BlockRow, upTo: number): Promise<void> {
    const { config, finality, writer, log } = this.#dependencies;
    const floor = finality.block;
    let common = await this.#commonAncestor(upTo, floor?.number ?? -1);
    if (common === undefined && floor) {
      await this.#assertReplaced(floor);
      await finality.reset();
      common = await this.#commonAncestor(Math.min(upTo, floor.number), -1);
    }
    const to = common ?? (config.startBlock ?? 0) - 1;
    const level = checkpoint.number - to > DEEP ? "warn" : "info";
    log[level]("the chain was reorganized", { chain: config.name, from: checkpoint.number, to });
    await writer.unwind(to);
  }

  /** Throws unless the chain may replace final blocks, and all of its nodes have done so. */
  async #assertReplaced(block: BlockIdentity): Promise<void> {
    const { config, node } = this.#dependencies;
    const mayBe = canBeReset(config);
    if (mayBe && (await node.isReplacedEverywhere(block))) return;
    const error = new OtherChainError(
      block.number,
      mayBe ? "not all nodes of the chain confirm that" : undefined,
    );
    node.penalize(error);
    throw error;
  }

  async #newestBlockUpTo(number: number): Promise<BlockRow | undefined> {
    const [newest] = await this.#dependencies.store.blocksDownFrom(number, 1);
    return newest;
  }

  /** The latest block up to a number and from another one on that index and node have in common; undefined if there is none. */
  async #commonAncestor(upTo: number, downTo: number): Promise<number | undefined> {
    const { node, store } = this.#dependencies;
    let from = upTo;
    for (;;) {
      const indexedBlocks = (await store.blocksDownFrom(from, COMPARE_BATCH_SIZE)).filter(
        ({ number }) => number >= downTo,
      );
      const lowest = indexedBlocks.at(-1);
      if (!lowest) return undefined;
      const nodeHeaders = await node.getHeaders(indexedBlocks.map(({ number }) => number));
      for (const [i, { number, hash }] of indexedBlocks.entries()) {
        const header = nodeHeaders[i];
        if (header?.hash === hash) return number;
        if (!header) this.#isBehind(0, number);
      }
      from = lowest.number - 1;
    }
  }
}

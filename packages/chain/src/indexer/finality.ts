import type { ChainConfig } from "../model/chainConfig.ts";
import type { BlockIdentity, BlockRow } from "../model/rows.ts";
import type { ChainNode } from "../node/chainNode.ts";
import { chainPresetOf } from "../presets/chainPresets.ts";
import type { ChainStore } from "../store/chainStore.ts";
import type { IndexWriter } from "../store/indexWriter.ts";
import { FINAL_FACT } from "../store/upgradeProgress.ts";

/** Ids of chains on a developer's machine. */
const LOCAL_CHAINS: ReadonlySet<number> = new Set([1337, 31_337]);
/** Blocks that stay replaceable whatever a node calls final: some report their latest block. */
const MIN_DEPTH = 64;
/** The same on chains whose finality is not known. */
const UNKNOWN_DEPTH = 1_000;
/** How often the final block of the index is saved, in ms. */
const SAVE_INTERVAL_MS = 60_000;

/** Whether the nodes of a chain may replace its final blocks, as those of a test chain do that is started anew. */
export function canBeReset({ id, resets }: Pick<ChainConfig, "id" | "resets">): boolean {
  return resets ?? LOCAL_CHAINS.has(id);
}

export interface FinalityDependencies {
  config: Pick<ChainConfig, "id" | "resets">;
  node: Pick<ChainNode, "setFinalBlock">;
  store: Pick<ChainStore, "blocksDownFrom" | "block" | "properties">;
  writer: Pick<IndexWriter, "saveProperty">;
  /** Called with the block that the nodes of the chain must have. */
  onFinalBlock?: ((block: BlockIdentity) => void) | undefined;
}

/**
 * The blocks of a chain that are final. Those of the index are not removed because a node has others, and nodes that do
 * not have the latest of them are rejected.
 */
export class Finality {
  readonly #dependencies: FinalityDependencies;
  #safe: number | null = null;
  #finalized: number | null = null;
  /** The latest final block of the index; undefined if there is none. */
  #block: BlockIdentity | undefined;
  #savedAt = Number.NEGATIVE_INFINITY;
  #savedNumber: number | undefined;

  constructor(dependencies: FinalityDependencies) {
    this.#dependencies = dependencies;
  }

  /** The latest safe block; null if the node does not support the tag. */
  get safe(): number | null {
    return this.#safe;
  }

  /** The latest final block by the node's tag or else by the confirmations of a well-known chain; null if unknown. */
  get finalized(): number | null {
    return this.#finalized;
  }

  /** The latest final block of the index. */
  get block(): BlockIdentity | undefined {
    return this.#block;
  }

  /** Sets what a node reports. */
  observe([safe, finalized]: readonly (BlockRow | undefined)[], head: number | null): void {
    this.#safe = safe?.number ?? null;
    this.#finalized = finalized?.number ?? this.#byConfirmations(head);
  }

  /** Reads what this process or another one has saved. */
  async load(): Promise<void> {
    const { store } = this.#dependencies;
    const saved = (await store.properties()).get(FINAL_FACT);
    this.#savedNumber = saved === undefined ? undefined : Number(saved);
    await this.#advance(this.#savedNumber ?? 0);
  }

  /** Applies and saves what is known after blocks up to a number were indexed. */
  async update(indexed: number): Promise<void> {
    const final = Math.min(this.#finalized ?? indexed - UNKNOWN_DEPTH, indexed - MIN_DEPTH);
    await this.#advance(Math.max(0, final));
    const { writer } = this.#dependencies;
    const number = this.#block?.number;
    const isDue = performance.now() - this.#savedAt >= SAVE_INTERVAL_MS;
    if (!isDue || number === undefined || number <= (this.#savedNumber ?? -1)) return;
    await writer.saveProperty(FINAL_FACT, String(number));
    this.#savedAt = performance.now();
    this.#savedNumber = number;
  }

  /** Forgets final blocks, before they are removed from the index. */
  async reset(): Promise<void> {
    await this.#dependencies.writer.saveProperty(FINAL_FACT, "0");
    this.#savedNumber = 0;
    this.#block = undefined;
  }

  async #advance(number: number): Promise<void> {
    if (this.#block && number <= this.#block.number) return;
    const { config, node, store, onFinalBlock } = this.#dependencies;
    // The genesis block is final from the beginning.
    const [block] = await store.blocksDownFrom(number, 1);
    if (!block || block.number === this.#block?.number) return;
    this.#block = { number: block.number, hash: block.hash };
    if (canBeReset(config)) return;
    node.setFinalBlock(this.#block);
    onFinalBlock?.(this.#block);
  }

  /** The latest block with the confirmations of the chain's rule; null for unknown chains. */
  #byConfirmations(head: number | null): number | null {
    const confirmations = chainPresetOf(this.#dependencies.config.id)?.confirmations;
    if (confirmations === undefined || head === null) return null;
    const final = head - confirmations + 1;
    return final < 0 ? null : final;
  }
}

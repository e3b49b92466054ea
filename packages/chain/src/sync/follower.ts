import { setTimeout as sleep } from "node:timers/promises";
import { type BlockHead, type ChainNode, LyingNode } from "../node/chainNode.ts";
import type { ChainStore } from "../store/chainStore.ts";
import type { ChainConfig, ChainStatus, Log } from "../types.ts";
import { decodeErc20Transfer, TRANSFER_TOPIC } from "./decode.ts";

export interface FollowerParts {
  config: ChainConfig;
  node: ChainNode;
  store: ChainStore;
  log: Log;
  /** How long to wait for the next block at the head, in ms. */
  pollMs: number;
}

const MAX_WAIT_MS = 30_000;

/** Keeps the index of one chain at the head of its node: on, over reorganisations, through outages. */
export class Follower {
  readonly #parts: FollowerParts;
  readonly #stopping = new AbortController();
  readonly #listeners = new Set<(indexed: BlockHead) => void>();
  #running: Promise<void> | undefined;
  #state: ChainStatus["state"] = "syncing";
  #head: number | null = null;
  #indexed: number | null = null;
  #error: string | undefined;
  /** Nothing is asked of a node before its chain id has been checked since it was last lost. */
  #checked = false;

  constructor(parts: FollowerParts) {
    this.#parts = parts;
  }

  get status(): ChainStatus {
    const { id, name } = this.#parts.config;
    const lag =
      this.#head === null || this.#indexed === null ? null : Math.max(0, this.#head - this.#indexed);
    const status = { chain: id, name, state: this.#state, head: this.#head, indexed: this.#indexed, lag };
    return this.#error === undefined ? status : { ...status, error: this.#error };
  }

  /** Told of each newest indexed block. Returns the way to stop. */
  onIndexed(listener: (indexed: BlockHead) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    let failures = 0;
    while (!this.#stopping.signal.aborted) {
      try {
        const behind = await this.step();
        failures = 0;
        if (!behind) await this.#wait(this.#parts.pollMs);
      } catch (error) {
        failures += 1;
        this.#fail(error, failures);
        await this.#wait(Math.min(MAX_WAIT_MS, this.#parts.pollMs * 2 ** Math.min(failures - 1, 10)));
      }
    }
  }

  /** Indexes the next range of blocks, or goes back before a reorganisation. Answers whether there is more to do. */
  async step(): Promise<boolean> {
    const { node, store, config } = this.#parts;
    if (!this.#checked) {
      await node.assertChain();
      this.#checked = true;
    }
    const head = await node.headNumber();
    this.#head = head;
    const checkpoint = await store.checkpoint(config.id);
    this.#indexed = checkpoint?.number ?? null;
    if (checkpoint && (await this.#unwindIfReorganised(checkpoint, head))) return true;

    const from = checkpoint ? checkpoint.number + 1 : (config.startBlock ?? 0);
    if (from > head) {
      this.#settle("following");
      return false;
    }
    const to = Math.min(head, from + node.range - 1);
    const indexed = await this.#index(from, to, checkpoint);
    if (!indexed) return true;
    this.#indexed = indexed.number;
    this.#settle(indexed.number >= head ? "following" : "syncing");
    for (const listener of this.#listeners) listener(indexed);
    return indexed.number < head;
  }

  /** Answers false where the chain changed under the reading: the next step looks again. */
  async #index(from: number, to: number, parent: BlockHead | undefined): Promise<BlockHead | undefined> {
    const { node, store, config } = this.#parts;
    const [heads, logs] = await Promise.all([node.heads(from, to), node.logs(from, to, TRANSFER_TOPIC)]);
    const blocks: BlockHead[] = [];
    let before = parent;
    for (const block of heads) {
      // The range ends at the first block that does not continue the one before.
      if (!block || (before && block.parentHash !== before.hash)) break;
      blocks.push(block);
      before = block;
    }
    const last = blocks.at(-1);
    if (!last) return undefined;
    const byNumber = new Map(blocks.map((block) => [block.number, block]));
    const inRange = logs.filter((log) => log.blockNumber <= last.number);
    if (inRange.some((log) => byNumber.get(log.blockNumber)?.hash !== log.blockHash)) return undefined;
    const transfers = inRange.flatMap((log) => {
      const transfer = decodeErc20Transfer(log, byNumber.get(log.blockNumber)?.timestamp ?? 0);
      return transfer ? [transfer] : [];
    });
    await store.append(config.id, blocks, transfers);
    return last;
  }

  /** Goes back to the newest block that index and node have in common, where they have parted. */
  async #unwindIfReorganised(checkpoint: BlockHead, head: number): Promise<boolean> {
    const { node, store, config, log } = this.#parts;
    const there = checkpoint.number <= head ? await node.head(checkpoint.number) : undefined;
    if (there?.hash === checkpoint.hash) return false;
    const first = config.startBlock ?? 0;
    let common = Math.min(checkpoint.number, head + 1) - 1;
    while (common >= first) {
      const [ours, theirs] = await Promise.all([store.blockHash(config.id, common), node.head(common)]);
      if (ours !== undefined && ours === theirs?.hash) break;
      common -= 1;
    }
    log.info("the chain was reorganised", { chain: config.name, from: checkpoint.number, to: common });
    await store.unwind(config.id, common);
    this.#indexed = common >= first ? common : null;
    return true;
  }

  #settle(state: "syncing" | "following"): void {
    if (this.#state === "unreachable" || this.#state === "refused") {
      this.#parts.log.info("the chain's node answers again", { chain: this.#parts.config.name });
    }
    this.#state = state;
    this.#error = undefined;
  }

  #fail(error: unknown, failures: number): void {
    const message = error instanceof Error ? error.message : String(error);
    this.#state = error instanceof LyingNode ? "refused" : "unreachable";
    this.#error = message;
    this.#checked = false;
    if (failures === 1)
      this.#parts.log.warn("the chain cannot be followed", {
        chain: this.#parts.config.name,
        error: message,
      });
  }

  async #wait(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
  }
}

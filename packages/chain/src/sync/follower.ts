import { setTimeout as sleep } from "node:timers/promises";
import type { BlockHead, ChainNode } from "../node/chainNode.ts";
import { LyingNode, RpcUnreachable } from "../node/rpc.ts";
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
/** How long a question just after the start waits for the first blocks. */
const FIRST_LOOK_MS = 2_000;
/** For how many looks in a row a node may be behind the index, or tell what does not fit together. */
const PATIENCE = 10;
/** Blocks that are compared at once while looking for the one before a reorganisation. */
const COMPARED = 100;

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
  #looksBehind = 0;
  #looksInVain = 0;
  readonly #looked = Promise.withResolvers<void>();

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

  /** Resolves when the first blocks are indexed or the node is found wanting, after two seconds in any case. */
  async firstLook(): Promise<void> {
    const waiting = new AbortController();
    const enough = sleep(FIRST_LOOK_MS, undefined, { signal: waiting.signal }).catch(() => undefined);
    await Promise.race([this.#looked.promise, enough]);
    waiting.abort();
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#parts.node.abort();
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
        if (this.#stopping.signal.aborted) return;
        failures += 1;
        this.#fail(error, failures);
        await this.#wait(Math.min(MAX_WAIT_MS, this.#parts.pollMs * 2 ** Math.min(failures - 1, 10)));
      }
    }
  }

  /** Indexes the next range of blocks, or goes back before a reorganisation. Answers whether there is more to do. */
  async step(): Promise<boolean> {
    const { node, store, config } = this.#parts;
    const checkpoint = await store.checkpoint(config.id);
    this.#indexed = checkpoint?.number ?? null;
    const head = await node.headNumber();
    this.#head = head;
    if (checkpoint) {
      const seen = await this.#compare(checkpoint, head);
      if (seen === "behind") {
        this.#settle("following");
        return false;
      }
      if (seen === "reorganised") return true;
    }

    const from = checkpoint ? checkpoint.number + 1 : (config.startBlock ?? 0);
    if (from > head) {
      this.#settle("following");
      return false;
    }
    const to = Math.min(head, from + node.range - 1);
    const indexed = await this.#index(from, to, checkpoint);
    if (!indexed) {
      // The chain may just be changing; a node that never tells a whole range is of no use.
      this.#looksInVain += 1;
      if (this.#looksInVain > PATIENCE) {
        throw new RpcUnreachable(`the node's blocks from ${from} on are missing or do not fit together`);
      }
      return false;
    }
    this.#looksInVain = 0;
    this.#indexed = indexed.number;
    this.#settle(indexed.number >= head ? "following" : "syncing");
    for (const listener of this.#listeners) listener(indexed);
    return indexed.number < head;
  }

  /** Answers false where the chain changed under the reading: the next step looks again. */
  async #index(from: number, to: number, parent: BlockHead | undefined): Promise<BlockHead | undefined> {
    const { node, store, config } = this.#parts;
    const heads = await node.heads(from, to);
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
    const logs = await node.logs(from, last.number, TRANSFER_TOPIC);
    // Were the logs read of the same chain as the blocks? What is missing in a list does not show there.
    if ((await node.head(last.number))?.hash !== last.hash) return undefined;
    const byNumber = new Map(blocks.map((block) => [block.number, block]));
    if (logs.some((log) => byNumber.get(log.blockNumber)?.hash !== log.blockHash)) return undefined;
    const transfers = logs.flatMap((log) => {
      const transfer = decodeErc20Transfer(log, byNumber.get(log.blockNumber)?.timestamp ?? 0);
      return transfer ? [transfer] : [];
    });
    await store.append(config.id, blocks, transfers);
    return last;
  }

  /** Goes back to the newest block that index and node have in common, where they have parted. */
  async #compare(checkpoint: BlockHead, head: number): Promise<"same" | "behind" | "reorganised"> {
    const { node, store, config, log } = this.#parts;
    const newest = Math.min(checkpoint.number, head);
    const [ours, theirs] = await Promise.all([store.blockHash(config.id, newest), node.head(newest)]);
    const agree = ours !== undefined && ours === theirs?.hash;
    if (agree && newest === checkpoint.number) {
      this.#looksBehind = 0;
      return "same";
    }
    // One of several nodes is often a little behind; only one that stays there has gone back.
    if (agree && this.#looksBehind < PATIENCE) {
      this.#looksBehind += 1;
      return "behind";
    }
    this.#looksBehind = 0;
    const common = agree ? newest : await this.#commonAncestor(newest - 1);
    log.info("the chain was reorganised", { chain: config.name, from: checkpoint.number, to: common });
    await store.unwind(config.id, common);
    this.#indexed = common >= (config.startBlock ?? 0) ? common : null;
    return "reorganised";
  }

  /** The newest block up to a number that index and node both have; the one before the first where there is none. */
  async #commonAncestor(upTo: number): Promise<number> {
    const { node, store, config } = this.#parts;
    const first = config.startBlock ?? 0;
    for (let to = upTo; to >= first; to -= COMPARED) {
      const from = Math.max(first, to - COMPARED + 1);
      const [ours, theirs] = await Promise.all([
        store.blockHashes(config.id, from, to),
        node.heads(from, to),
      ]);
      const common = theirs.findLast((block) => block && ours.get(block.number) === block.hash);
      if (common) return common.number;
    }
    return first - 1;
  }

  #settle(state: "syncing" | "following"): void {
    if (this.#state === "unreachable" || this.#state === "refused") {
      this.#parts.log.info("the chain's node answers again", { chain: this.#parts.config.name });
    }
    this.#state = state;
    this.#error = undefined;
    this.#looked.resolve();
  }

  #fail(error: unknown, failures: number): void {
    const message = error instanceof Error ? error.message : String(error);
    this.#state = error instanceof LyingNode ? "refused" : "unreachable";
    this.#error = message;
    this.#looked.resolve();
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

import { setTimeout as sleep } from "node:timers/promises";
import type { ChainConfig } from "../model/chainConfig.ts";
import type { ChainStatus } from "../model/chainStatus.ts";
import type { Logger } from "../model/logger.ts";
import type { BlockRow } from "../model/rows.ts";
import type { ChainNode } from "../node/chainNode.ts";
import { LyingNode, RpcUnreachable } from "../node/rpcErrors.ts";
import type { ChainStore } from "../store/chainStore.ts";
import type { IndexWriter } from "../store/indexWriter.ts";
import { Progress } from "./progress.ts";
import type { Reading, Scope } from "./scope.ts";

export interface FollowerParts {
  config: ChainConfig;
  node: ChainNode;
  store: ChainStore;
  writer: IndexWriter;
  scope: Scope;
  log: Logger;
  /** How long to wait for the next block at the head, in ms. */
  pollMs: number;
  /** Whether it is this process that follows; one that does not only looks how the other fares. */
  mayFollow?: () => Promise<boolean>;
  /** The number of the term in which this process follows. */
  term?: () => number | undefined;
  /** Told of every change of the status. */
  onStatus?: (status: ChainStatus) => void;
  /** Does what else there is to do, between steps; answers whether there is more. */
  between?: (checkpoint: BlockRow, state: ChainStatus["state"]) => Promise<boolean>;
}

const MAX_WAIT_MS = 30_000;
/** For how many looks in a row a node may be behind the index, or tell what does not fit together. */
const PATIENCE = 10;
/** The same of a chain with one node only, which has no other to be behind of. */
const PATIENCE_WITH_ONE = 1;
/** Blocks that are compared at once while looking for the one before a reorganisation. */
const COMPARED = 100;
/** Ranges that are read ahead while one is being written. */
const AHEAD = 3;
/** How often one that does not follow looks how the other fares. */
const LOOK_ON_MS = 500;
/** How often nodes are asked what is safe and final. */
const FINALITY_MS = 4_000;

/** Keeps the index of one chain at the head of its node: on, over reorganisations, through outages. */
export class Follower {
  readonly #parts: FollowerParts;
  readonly #stopping = new AbortController();
  #wake = new AbortController();
  #running: Promise<void> | undefined;
  #state: ChainStatus["state"] = "syncing";
  #head: number | null = null;
  #safe: number | null = null;
  #finalized: number | null = null;
  #finalityAt = 0;
  #error: string | undefined;
  #looksBehind = 0;
  #looksInVain = 0;
  /** The newest block in the index; undefined before it was looked at. */
  #checkpoint: BlockRow | null | undefined;
  readonly #progress: Progress;

  constructor(parts: FollowerParts) {
    this.#parts = parts;
    this.#progress = new Progress(parts.config.name, parts.log);
  }

  get status(): ChainStatus {
    const { config, node } = this.#parts;
    const { id, name, startBlock = 0, scope = "chain" } = config;
    const indexed = this.#checkpoint?.number ?? null;
    const head = this.#head;
    const lag = head === null || indexed === null ? null : Math.max(0, head - indexed);
    const status: ChainStatus = {
      chain: id,
      name,
      scope,
      state: this.#state,
      start: startBlock,
      head,
      safe: this.#safe,
      finalized: this.#finalized,
      indexed,
      lag,
      ...this.#progress.figures(startBlock, indexed, head),
      nodes: node.health,
    };
    const term = this.#parts.term?.();
    if (term !== undefined) status.term = term;
    return this.#error === undefined ? status : { ...status, error: this.#error };
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wake.abort();
    this.#parts.node.abort();
    await this.#running;
  }

  /** Looks at once, also while it waits for the next block. */
  wake(): void {
    this.#wake.abort();
    this.#wake = new AbortController();
  }

  async #run(): Promise<void> {
    let failures = 0;
    while (!this.#stopping.signal.aborted) {
      try {
        if (this.#parts.mayFollow && !(await this.#parts.mayFollow())) {
          await this.#lookOn();
          failures = 0;
          await this.#wait(Math.max(this.#parts.pollMs, LOOK_ON_MS));
          continue;
        }
        const behind = await this.step();
        failures = 0;
        const more = this.#checkpoint && (await this.#parts.between?.(this.#checkpoint, this.#state));
        if (!behind && !more) await this.#wait(this.#parts.pollMs);
      } catch (error) {
        if (this.#stopping.signal.aborted) return;
        failures += 1;
        this.#fail(error, failures);
        await this.#wait(Math.min(MAX_WAIT_MS, this.#parts.pollMs * 2 ** Math.min(failures - 1, 10)));
      }
    }
  }

  async #lookOn(): Promise<void> {
    const { node, store } = this.#parts;
    this.#checkpoint = (await store.checkpoint()) ?? null;
    this.#head = await node.headNumber();
    this.#settle((this.#checkpoint?.number ?? -1) >= this.#head ? "following" : "syncing");
    // When its turn comes, it looks at the index anew.
    this.#checkpoint = undefined;
  }

  /** Indexes up to the head, or goes back before a reorganisation. Answers whether there is more to do. */
  async step(): Promise<boolean> {
    const { node, store } = this.#parts;
    if (this.#checkpoint === undefined) this.#checkpoint = (await store.checkpoint()) ?? null;
    const head = await node.headNumber();
    this.#head = head;
    await this.#askFinality();
    if (this.#checkpoint) {
      const seen = await this.#compare(this.#checkpoint, head);
      if (seen === "behind") {
        this.#settle("following");
        return false;
      }
      if (seen === "reorganised") return true;
    }
    const from = this.#checkpoint ? this.#checkpoint.number + 1 : this.#beginning(head);
    if (from > head) {
      this.#settle("following");
      return false;
    }
    if (from + this.#parts.scope.range <= head) this.#settle("syncing");
    const indexed = await this.#indexUpTo(from, head);
    if (indexed < from) {
      // The chain may just be changing; a node that never tells a whole range is of no use.
      this.#looksInVain += 1;
      if (this.#looksInVain > PATIENCE) {
        throw new RpcUnreachable(`the node's blocks from ${from} on are missing or do not fit together`);
      }
      return false;
    }
    this.#looksInVain = 0;
    this.#settle(indexed >= head ? "following" : "syncing");
    return indexed < head;
  }

  /** Where an empty index begins: the history of wallets is read for each by itself. */
  #beginning(head: number): number {
    const { startBlock = 0, scope } = this.#parts.config;
    return scope === "wallets" ? Math.max(startBlock, head) : startBlock;
  }

  /** Reads ahead while it writes. Answers the number of the newest block that is in now. */
  async #indexUpTo(from: number, head: number): Promise<number> {
    const { scope, writer } = this.#parts;
    const ahead: { to: number; reading: Promise<Reading | undefined> }[] = [];
    let next = from;
    let reached = from - 1;
    try {
      while (!this.#stopping.signal.aborted) {
        while (ahead.length < AHEAD && next <= head) {
          const to = Math.min(head, next + scope.range - 1);
          const reading = scope.read(next, to);
          // Whoever waits for it is told; until then its failure is nobody's.
          reading.catch(() => undefined);
          ahead.push({ to, reading });
          next = to + 1;
        }
        const first = ahead.shift();
        if (!first) break;
        const reading = await first.reading;
        const parent = this.#checkpoint ?? undefined;
        if (!reading || (parent && reading.parentHash !== parent.hash)) break;
        await writer.append(parent, reading.rows, reading.tokens);
        this.#checkpoint = reading.last;
        this.#progress.count(reading.last.number - reached);
        reached = reading.last.number;
        this.#tell();
        // What was read ahead does not continue a range that ended early.
        if (reached < first.to) break;
      }
      return reached;
    } catch (error) {
      // What the index holds now is looked at anew.
      this.#checkpoint = undefined;
      throw error;
    } finally {
      await Promise.allSettled(ahead.map(({ reading }) => reading));
    }
  }

  /** Goes back to the newest block that index and node have in common, where they have parted. */
  async #compare(checkpoint: BlockRow, head: number): Promise<"same" | "behind" | "reorganised"> {
    const { node, writer, config, log } = this.#parts;
    if (checkpoint.number <= head) {
      const theirs = await node.head(checkpoint.number);
      if (theirs?.hash === checkpoint.hash) {
        this.#looksBehind = 0;
        return "same";
      }
      // A block that is not there is one that another node has told of: only a different one is news.
      if (!theirs && this.#looksBehind < PATIENCE) {
        this.#looksBehind += 1;
        return "behind";
      }
    } else if (this.#looksBehind < (config.rpcUrls.length > 1 ? PATIENCE : PATIENCE_WITH_ONE)) {
      // One of several nodes is often a little behind; only one that stays there has gone back.
      const newest = await this.#newestUpTo(head);
      if (!newest || (await node.head(newest.number))?.hash === newest.hash) {
        this.#looksBehind += 1;
        return "behind";
      }
    }
    this.#looksBehind = 0;
    // Before anything is removed: a node that is of another chain now has none of these blocks either.
    node.recheck();
    const common = await this.#commonAncestor(Math.min(checkpoint.number, head));
    log.info("the chain was reorganised", { chain: config.name, from: checkpoint.number, to: common });
    await writer.unwind(common);
    this.#checkpoint = undefined;
    this.#tell();
    return "reorganised";
  }

  async #newestUpTo(number: number): Promise<BlockRow | undefined> {
    const [newest] = await this.#parts.store.blocksDownFrom(number, 1);
    return newest;
  }

  /** The newest block up to a number that index and node both have; the one before the first where there is none. */
  async #commonAncestor(upTo: number): Promise<number> {
    const { node, store, config } = this.#parts;
    let from = upTo;
    for (;;) {
      const ours = await store.blocksDownFrom(from, COMPARED);
      const lowest = ours.at(-1);
      if (!lowest) return (config.startBlock ?? 0) - 1;
      const theirs = await node.headsOf(ours.map(({ number }) => number));
      const common = ours.find(({ hash }, i) => theirs[i]?.hash === hash);
      if (common) return common.number;
      from = lowest.number - 1;
    }
  }

  async #askFinality(): Promise<void> {
    if (Date.now() - this.#finalityAt < FINALITY_MS) return;
    this.#finalityAt = Date.now();
    const [safe, finalized] = await this.#parts.node.headsOf(["safe", "finalized"]);
    this.#safe = safe?.number ?? null;
    this.#finalized = finalized?.number ?? null;
  }

  #settle(state: "syncing" | "following"): void {
    if (this.#state === "unreachable" || this.#state === "refused") {
      this.#parts.log.info("the chain's node answers again", { chain: this.#parts.config.name });
    }
    this.#state = state;
    this.#error = undefined;
    this.#tell();
  }

  #fail(error: unknown, failures: number): void {
    const message = error instanceof Error ? error.message : String(error);
    this.#state = error instanceof LyingNode ? "refused" : "unreachable";
    this.#error = message;
    this.#tell();
    if (failures === 1)
      this.#parts.log.warn("the chain cannot be followed", {
        chain: this.#parts.config.name,
        error: message,
      });
  }

  #tell(): void {
    const { status } = this;
    if (this.#state === "syncing") this.#progress.log(status);
    this.#parts.onStatus?.(status);
  }

  async #wait(ms: number): Promise<void> {
    const signal = AbortSignal.any([this.#stopping.signal, this.#wake.signal]);
    await sleep(ms, undefined, { signal }).catch(() => undefined);
  }
}

import { setTimeout as sleep } from "node:timers/promises";
import type { ChainConfig } from "../model/chainConfig.ts";
import type { ChainStatus } from "../model/chainStatus.ts";
import type { Logger } from "../model/logger.ts";
import type { BlockIdentity, BlockRow } from "../model/rows.ts";
import type { ChainNode } from "../node/chainNode.ts";
import { InvalidNodeDataError, RpcUnreachableError } from "../node/rpcErrors.ts";
import type { ChainStore } from "../store/chainStore.ts";
import { INDEX_DATABASE_UNAVAILABLE, IndexDatabaseError } from "../store/indexErrors.ts";
import type { IndexWriter } from "../store/indexWriter.ts";
import { BlockTimes } from "./blockTimes.ts";
import { fetchRanges } from "./fetchRanges.ts";
import { canBeReset, Finality } from "./finality.ts";
import { Progress } from "./progress.ts";
import { Reorganization } from "./reorganization.ts";
import type { FetchedRange, IndexedRange, IndexScope } from "./scope.ts";

export interface ChainIndexerOptions {
  config: ChainConfig;
  node: ChainNode;
  store: ChainStore;
  writer: IndexWriter;
  scope: IndexScope;
  log: Logger;
  /** Poll interval for the next block at the head, in ms. */
  pollMs: number;
  /** Whether this process indexes the chain; otherwise it only observes the index. */
  canIndex?: () => Promise<boolean>;
  /** The fencing number of this process's lease. */
  term?: () => number | undefined;
  /** Called on each status change. */
  onStatus?: (status: ChainStatus) => void;
  /** Called with the final block that the nodes of the chain must have. */
  onFinalBlock?: ((block: BlockIdentity) => void) | undefined;
  /** Called with each range that has been written. */
  onIndexed?: ((range: IndexedRange) => void) | undefined;
  /** Called after each write with the latest indexed block and the latest final one. */
  afterWrite?: (indexed: number, finalized: number | null) => Promise<void>;
  /** The first block whose events are kept; undefined if none have been removed. */
  keptFrom?: () => number | undefined;
  /** Does additional work between steps; returns whether there is more. */
  afterStep?: (
    checkpoint: BlockRow,
    state: ChainStatus["state"],
    finalized: number | null,
  ) => Promise<boolean>;
}

/** The safe and the finalized block, where the node has them. */
type FinalBlocks = readonly (BlockRow | undefined)[];

const MAX_RETRY_WAIT_MS = 30_000;
/** Max consecutive polls in which a node may return an incomplete range. */
const MAX_INCOMPLETE_POLLS = 10;
/** The same before another node is preferred, if there is one. */
const MAX_INCOMPLETE_POLLS_OF_ONE = 3;
/** Poll interval of a process that only observes the index. */
const OBSERVE_INTERVAL_MS = 500;
/** How long such a process waits for its node until it tries to become the leader again, in ms. */
const OBSERVE_TIMEOUT_MS = 1_000;
/** Poll interval for safe and finalized blocks. */
const FINALITY_INTERVAL_MS = 4_000;
/** How often a process that only observes the index reads which of its blocks are final, in ms. */
const OBSERVED_FINALITY_MS = 60_000;
/** Blocks whose times are read at the start. */
const TIMED_BLOCKS = 100;

/** Keeps the index of one chain in sync with its nodes, across reorganizations and outages. */
export class ChainIndexer {
  readonly #options: ChainIndexerOptions;
  readonly #stopping = new AbortController();
  #wake = new AbortController();
  #loop: Promise<void> | undefined;
  #state: ChainStatus["state"] = "syncing";
  #head: number | null = null;
  #finalityAt = 0;
  #finalityLoadedAt = Number.NEGATIVE_INFINITY;
  #isStalled = false;
  /** The request of the head by a process that only observes the index, until it has used the response. */
  #observation: Promise<number> | undefined;
  #error: string | undefined;
  #isDatabaseUnavailable = false;
  #incompletePolls = 0;
  /** The fencing number of the last status that was published. */
  #publishedTerm: number | undefined;
  /** The latest indexed block; undefined before the index was read. */
  #checkpoint: BlockRow | null | undefined;
  /** The latest indexed block, also of a process that only observes the index. */
  #newest: BlockRow | undefined;
  readonly #times = new BlockTimes();
  readonly #progress: Progress;
  readonly #finality: Finality;
  readonly #reorganization: Reorganization;

  constructor(options: ChainIndexerOptions) {
    this.#options = options;
    this.#progress = new Progress(options.config.name, options.log);
    this.#finality = new Finality(options);
    this.#reorganization = new Reorganization({ ...options, finality: this.#finality });
  }

  get status(): ChainStatus {
    const { config, node } = this.#options;
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
      safe: this.#finality.safe,
      finalized: this.#finality.finalized,
      indexed,
      lag,
      ...this.#progress.metrics(startBlock, indexed, head),
      nodes: node.health,
    };
    const { untraced } = this.#options.scope;
    if (untraced) status.untraced = untraced;
    const keptFrom = this.#options.keptFrom?.();
    if (keptFrom !== undefined) status.keptFrom = keptFrom;
    const term = this.#options.term?.();
    if (term !== undefined) status.term = term;
    if (this.#isDatabaseUnavailable) status.isDatabaseUnavailable = true;
    const age = this.#state === "following" ? this.#excessiveAge() : undefined;
    if (age !== undefined)
      return { ...status, state: "stalled", error: `the latest block is ${age} seconds old` };
    return this.#error === undefined ? status : { ...status, error: this.#error };
  }

  start(): void {
    this.#loop ??= this.#runLoop();
  }

  /** Reports that a term of the lease has begun or ended. */
  reportTerm(): void {
    if (this.#options.term?.() !== this.#publishedTerm) this.#publishStatus();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wake.abort();
    this.#options.node.abort();
    await this.#loop;
  }

  /** Polls immediately, or again after a poll that has begun. */
  wake(): void {
    this.#wake.abort();
  }

  async #runLoop(): Promise<void> {
    const { pollMs } = this.#options;
    const observeIntervalMs = Math.max(pollMs, OBSERVE_INTERVAL_MS);
    let failures = 0;
    while (!this.#stopping.signal.aborted) {
      let isObserving = false;
      this.#wake = new AbortController();
      try {
        if (this.#options.canIndex && !(await this.#options.canIndex())) {
          isObserving = true;
          if (await this.#observe()) failures = 0;
          await this.#wait(observeIntervalMs);
          continue;
        }
        this.#dropObservation();
        // A new leader reports its term before its first step, which may wait for a node or for locks.
        this.reportTerm();
        const hasMoreBlocks = await this.step();
        failures = 0;
        const hasMoreWork =
          this.#checkpoint &&
          (await this.#options.afterStep?.(this.#checkpoint, this.#state, this.#finality.finalized));
        if (!hasMoreBlocks && !hasMoreWork) await this.#wait(pollMs);
      } catch (error) {
        if (this.#stopping.signal.aborted) return;
        failures += 1;
        this.#fail(error, failures);
        // Whether this process can become the leader does not depend on its node.
        if (isObserving) await this.#wait(observeIntervalMs);
        else await this.#wait(Math.min(MAX_RETRY_WAIT_MS, pollMs * 2 ** Math.min(failures - 1, 10)));
      }
    }
  }

  /** Returns false if the node has not responded yet: a silent one must not keep this process from becoming the leader. */
  async #observe(): Promise<boolean> {
    const { node, store } = this.#options;
    // If this process becomes the leader, it reads the checkpoint again.
    this.#checkpoint = undefined;
    this.#observation ??= node.getBlockNumber();
    const head = await Promise.race([this.#observation, this.#wait(OBSERVE_TIMEOUT_MS)]).catch(
      (error: unknown) => {
        this.#observation = undefined;
        throw error;
      },
    );
    if (head === undefined) return false;
    this.#observation = undefined;
    this.#head = head;
    this.#checkpoint = (await store.checkpoint()) ?? null;
    if (performance.now() - this.#finalityLoadedAt >= OBSERVED_FINALITY_MS) await this.#loadFinality();
    await this.#recordNewest();
    this.#setState((this.#checkpoint?.number ?? -1) >= head ? "following" : "syncing");
    this.#checkpoint = undefined;
    return true;
  }

  /** A new leader sends its own requests. */
  #dropObservation(): void {
    this.#observation = undefined;
  }

  /** Indexes up to the head, or unwinds a reorganization. Returns whether there is more to do. */
  async step(): Promise<boolean> {
    const { node, store } = this.#options;
    if (this.#checkpoint === undefined) {
      this.#checkpoint = (await store.checkpoint()) ?? null;
      // Before a node is asked: it may belong to another chain.
      await this.#loadFinality();
    }
    const head = await node.getBlockNumber();
    this.#head = head;
    await this.#recordNewest();
    await this.#updateFinality();
    if (this.#checkpoint) {
      const comparison = await this.#reorganization.compare(this.#checkpoint, head);
      if (comparison === "behind") {
        this.#setState("following");
        return false;
      }
      if (comparison === "reorganized") {
        this.#checkpoint = undefined;
        this.#times.clear();
        this.#publishStatus();
        return true;
      }
    }
    const from = this.#checkpoint ? this.#checkpoint.number + 1 : this.#firstBlock(head);
    if (from > head) {
      this.#setState("following");
      return false;
    }
    if (from + this.#options.scope.blockRange <= head) this.#setState("syncing");
    const indexed = await this.#indexUpTo(from, head);
    if (indexed < from) {
      // A reorganization may be in progress, but a node that never returns a complete range is unusable.
      this.#incompletePolls += 1;
      if (this.#incompletePolls % MAX_INCOMPLETE_POLLS_OF_ONE === 0)
        node.penalize(new RpcUnreachableError(`the node's blocks from ${from} are incomplete`));
      if (this.#incompletePolls > MAX_INCOMPLETE_POLLS) {
        throw new RpcUnreachableError(`the node's blocks from ${from} are missing or inconsistent`);
      }
      return false;
    }
    this.#incompletePolls = 0;
    this.#setState(indexed >= head ? "following" : "syncing");
    return indexed < head;
  }

  /** First block of an empty index. The history of wallets is indexed separately. */
  #firstBlock(head: number): number {
    const { startBlock = 0, scope } = this.#options.config;
    return scope === "wallets" ? Math.max(startBlock, head) : startBlock;
  }

  /** Fetches ranges in advance while writing. Returns the number of the latest indexed block. */
  async #indexUpTo(from: number, head: number): Promise<number> {
    const { scope, writer } = this.#options;
    let lastIndexed = from - 1;
    if (this.#stopping.signal.aborted) return lastIndexed;
    const prepare = ({ rows, tokens }: FetchedRange) => writer.prepare?.(rows, tokens);
    try {
      for await (const range of fetchRanges(scope, from, head, prepare)) {
        const parent = this.#checkpoint ?? undefined;
        if (parent && range.parentHash !== parent.hash) break;
        const writeStartedAt = Date.now();
        await writer.append(parent, range.rows, range.tokens);
        this.#options.onIndexed?.({
          ...range.timings,
          chainId: this.#options.config.id,
          from: lastIndexed + 1,
          to: range.last.number,
          logs: range.rows.logs.length,
          writeStartedAt,
          writtenAt: Date.now(),
        });
        this.#checkpoint = range.last;
        this.#newest = range.last;
        this.#times.record(range.rows.blocks);
        this.#progress.record(range.last.number - lastIndexed);
        lastIndexed = range.last.number;
        await this.#options.afterWrite?.(lastIndexed, this.#finality.finalized);
        this.#publishStatus();
        if (this.#stopping.signal.aborted) break;
      }
      return lastIndexed;
    } catch (error) {
      // The state of the index is unknown: read the checkpoint again.
      this.#checkpoint = undefined;
      throw error;
    }
  }

  async #loadFinality(): Promise<void> {
    this.#finalityLoadedAt = performance.now();
    await this.#finality.load();
  }

  async #updateFinality(): Promise<void> {
    const final = await this.#readFinality();
    if (!final) return;
    this.#finality.observe(final, this.#head);
    if (this.#checkpoint) await this.#finality.update(this.#checkpoint.number);
  }

  /** Reads the safe and the finalized block; returns undefined if they were read a moment ago. */
  async #readFinality(): Promise<FinalBlocks | undefined> {
    if (Date.now() - this.#finalityAt < FINALITY_INTERVAL_MS) return undefined;
    this.#finalityAt = Date.now();
    return this.#options.node.getHeaders(["safe", "finalized"]);
  }

  /** Records the time of the latest indexed block; at the start, also of those before. */
  async #recordNewest(): Promise<void> {
    const checkpoint = this.#checkpoint ?? undefined;
    if (checkpoint && this.#times.isEmpty) {
      const blocks = await this.#options.store.blocksDownFrom(checkpoint.number, TIMED_BLOCKS);
      this.#times.record(blocks.reverse());
    } else if (checkpoint && checkpoint.number !== this.#newest?.number) this.#times.record([checkpoint]);
    this.#newest = checkpoint;
  }

  /** The age of the latest block in s, if it shows that the chain or its nodes stand still. */
  #excessiveAge(): number | undefined {
    const { stalledSeconds = canBeReset(this.#options.config) ? 0 : this.#times.maxAge } =
      this.#options.config;
    if (!this.#newest || stalledSeconds === 0) return undefined;
    const age = Math.floor(Date.now() / 1000) - this.#newest.timestamp;
    return age > stalledSeconds ? age : undefined;
  }

  #setState(state: "syncing" | "following"): void {
    if (this.#state === "unreachable" || this.#state === "refused") {
      const part = this.#isDatabaseUnavailable ? "index database" : "node";
      this.#options.log.info(`the chain's ${part} is available again`, { chain: this.#options.config.name });
    }
    this.#state = state;
    this.#error = undefined;
    this.#isDatabaseUnavailable = false;
    this.#publishStatus();
  }

  #fail(error: unknown, failures: number): void {
    const message = error instanceof Error ? error.message : String(error);
    this.#state = error instanceof InvalidNodeDataError ? "refused" : "unreachable";
    this.#isDatabaseUnavailable = error instanceof IndexDatabaseError;
    // Statuses are public, and the reason names the server of the database.
    this.#error = this.#isDatabaseUnavailable ? INDEX_DATABASE_UNAVAILABLE : message;
    this.#publishStatus();
    if (failures === 1)
      this.#options.log.warn("the chain cannot be indexed", {
        chain: this.#options.config.name,
        error: message,
      });
  }

  #publishStatus(): void {
    const { status } = this;
    this.#publishedTerm = status.term;
    this.#reportStall(status);
    if (this.#state === "syncing") this.#progress.log(status);
    this.#options.onStatus?.(status);
  }

  #reportStall({ state, error }: ChainStatus): void {
    const isStalled = state === "stalled";
    if (isStalled === this.#isStalled) return;
    const { log, config } = this.#options;
    this.#isStalled = isStalled;
    if (isStalled) log.warn("the chain or its nodes stand still", { chain: config.name, error });
    else if (state === "following") log.info("the chain has new blocks again", { chain: config.name });
  }

  async #wait(ms: number): Promise<void> {
    const signal = AbortSignal.any([this.#stopping.signal, this.#wake.signal]);
    await sleep(ms, undefined, { signal }).catch(() => undefined);
  }
}

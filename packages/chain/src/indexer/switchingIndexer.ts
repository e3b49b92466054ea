import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import type { ChainConfig } from "../model/chainConfig.ts";
import type { ChainStatus, IndexRebuildStatus } from "../model/chainStatus.ts";
import type { TokenMetadataReading } from "../model/tokens.ts";
import type { MetadataRefresh } from "../nft/metadataRefresh.ts";
import { eventDefinitionIn, wantedEventStorage } from "../store/eventStorage.ts";
import { IndexSwitch } from "../store/indexSwitch.ts";
import { type ChainIndex, openIndex, WRITE_CONNECTIONS } from "../store/openIndex.ts";
import { createIndexerNode } from "./indexerNode.ts";
import { type IndexPlan, planIndex } from "./indexPlan.ts";
import { IndexRebuild, type PostgresChainOptions } from "./indexRebuild.ts";
import { type RunningIndexer, startIndexing } from "./startIndexing.ts";

/** The index that is read, with its indexer. */
interface OpenedIndex {
  index: ChainIndex;
  plan: IndexPlan;
  indexer: RunningIndexer;
}

/** How often to look for another index, in ms. */
const POLL_MS = 1_000;
/** Delay before a process that could not start to build an index tries again, in ms. */
const RETRY_MS = 10_000;

/**
 * Indexes a chain in PostgreSQL. Where its index cannot be used with the settings of this process, another one is built
 * beside it and takes its place; until then, it is read and continued. Opens the new index when it has taken the place
 * of the one that was read, whichever process has built it.
 */
export class SwitchingIndexer implements RunningIndexer {
  readonly #options: PostgresChainOptions;
  readonly #switch: IndexSwitch;
  readonly #stopping = new AbortController();
  #opened: Promise<OpenedIndex>;
  /** The indexer of the index that is read. */
  #running: RunningIndexer | undefined;
  /** When the first index was opened, by the clock of the database. */
  #openedAt: number | undefined;
  #next: IndexRebuild | undefined;
  /** When to start the index that is built, or to try again, on the clock of `performance`. */
  #startAt = 0;
  #progress: IndexRebuildStatus | undefined;
  #status: ChainStatus | undefined;
  #isIncomplete = false;
  #loop: Promise<void> | undefined;
  #wake = new AbortController();
  #hasFailed = false;

  private constructor(options: PostgresChainOptions) {
    this.#options = options;
    this.#switch = new IndexSwitch(options.location, WRITE_CONNECTIONS);
    this.#opened = this.#open();
  }

  static async start(options: PostgresChainOptions): Promise<SwitchingIndexer> {
    const indexer = new SwitchingIndexer(options);
    try {
      indexer.#running = (await indexer.#opened).indexer;
    } catch (error) {
      await indexer.#switch.close();
      throw error;
    }
    indexer.#loop = indexer.#runLoop();
    return indexer;
  }

  async watch(addresses: string[]): Promise<void> {
    await (await this.#opened).indexer.watch(addresses);
  }

  async saveTokenMetadata(reading: TokenMetadataReading): Promise<void> {
    await (await this.#opened).indexer.saveTokenMetadata(reading);
  }

  async refreshMetadata(refresh: MetadataRefresh): Promise<void> {
    const { index, indexer } = await this.#opened;
    await indexer.refreshMetadata(refresh);
    await this.#switch.repeatRefresh(
      "nft" in refresh ? refresh.nft : { token: refresh.collection },
      index.schemaId,
    );
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    // At once: the contents that they fetch are aborted with them. The loop may open another index meanwhile.
    const running = this.#running;
    const results = await Promise.allSettled([this.#stopNext(), running?.stop()]);
    await this.#loop;
    const { indexer } = await this.#opened;
    const isStopped = indexer === running;
    results.push(...(await Promise.allSettled([this.#stopNext(), isStopped ? undefined : indexer.stop()])));
    await this.#switch.close();
    for (const result of results) if (result.status === "rejected") throw result.reason;
  }

  async #open(): Promise<OpenedIndex> {
    const { config, location, canIndex, log, onStatus: _, ...options } = this.#options;
    const opened = await openIndex(location, log, canIndex);
    try {
      this.#openedAt ??= opened.openedAt;
      const known = { ...opened, openedAt: this.#openedAt };
      const plan = await planIndex(known, config, {
        partitionBlocks: location.partitionBlocks,
        eventDefinition: eventDefinitionIn(wantedEventStorage(location)),
      });
      const { next, warning } = plan;
      if (warning !== undefined) log.warn(warning, { chain: config.name });
      if (next && canIndex)
        log.info("another index is built beside the index of the chain, which stays in use meanwhile", {
          ...{ chain: config.name, reason: next.reason },
          ...(next.partitionBlocks !== undefined && { partitionBlocks: next.partitionBlocks }),
        });
      const index = plan.canLead ? known : { ...known, isLeader: async () => false };
      const indexer = await startIndexing({
        ...{ ...options, log, index, isReplaced: true },
        config: plan.config,
        node: createIndexerNode(config, options.pollMs),
        onStatus: (status) => void this.#publishOf(opened, status),
      });
      return { index: opened, plan, indexer };
    } catch (error) {
      await opened.close();
      throw error;
    }
  }

  async #runLoop(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      try {
        await this.#findOther();
        this.#hasFailed = false;
      } catch (error) {
        if (!this.#hasFailed && !this.#stopping.signal.aborted)
          this.#options.log.warn("the index of a chain could not be compared with its settings", {
            chain: this.#options.config.name,
            error: String(error),
          });
        this.#hasFailed = true;
      }
      const signal = AbortSignal.any([this.#stopping.signal, this.#wake.signal]);
      await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  async #findOther(): Promise<void> {
    const { canIndex } = this.#options;
    const { index, plan } = await this.#opened;
    const { current, next, replaced } = await this.#switch.schemas();
    if (current !== undefined && current !== index.schemaId) {
      await this.#replace();
      return;
    }
    if (this.#next && next !== this.#next.schemaId) {
      // Somebody has removed the index that was being built.
      this.#startAt = 0;
      await this.#stopNext();
    }
    if (plan.next && canIndex && !this.#next && performance.now() >= this.#startAt) {
      this.#startAt = performance.now() + RETRY_MS;
      this.#next = await this.#startNext(index, plan.next);
    }
    if (replaced.length > 0 && index.term() !== undefined) await this.#switch.removeReplaced(replaced);
  }

  /** Opens the index that has taken the place of the one that was opened. */
  async #replace(): Promise<void> {
    const { config, log } = this.#options;
    await this.#stopNext();
    this.#startAt = 0;
    const { indexer } = await this.#opened;
    const later = await this.#open();
    this.#opened = Promise.resolve(later);
    this.#running = later.indexer;
    log.info("opened the index that has taken the place of another one", { chain: config.name });
    await indexer.stop();
  }

  #startNext(current: ChainIndex, { partitionBlocks }: NonNullable<IndexPlan["next"]>) {
    return IndexRebuild.start({
      ...{ chain: this.#options, current, partitionBlocks, indexSwitch: this.#switch },
      onStatus: (progress) => {
        this.#progress = progress;
        this.#publish();
      },
      onSwitched: () => {
        this.#wake.abort();
        this.#wake = new AbortController();
      },
    });
  }

  async #stopNext(): Promise<void> {
    const next = this.#next;
    this.#next = undefined;
    try {
      await next?.stop();
    } finally {
      this.#progress = undefined;
    }
  }

  /** Publishes the status of an index, unless another one is read meanwhile. */
  async #publishOf(index: ChainIndex, status: ChainStatus): Promise<void> {
    const opened = await this.#opened;
    if (opened.index !== index) return;
    this.#isIncomplete = opened.plan.isIncomplete;
    this.#status = status;
    this.#publish();
  }

  #publish(): void {
    const [status, rebuild] = [this.#status, this.#progress];
    if (!status) return;
    const published = this.#isIncomplete ? incompleteStatus(status, rebuild, this.#options.config) : status;
    this.#options.onStatus?.({ ...published, ...(rebuild && { rebuild }) });
  }
}

/** The status while an index is read that lacks what the settings demand: it is as far as the new one. */
function incompleteStatus(
  status: ChainStatus,
  rebuild: IndexRebuildStatus | undefined,
  { startBlock = 0, scope = "chain" }: ChainConfig,
): ChainStatus {
  const { head, state } = status;
  return {
    ...status,
    ...{ scope, start: startBlock },
    state: state === "following" ? "syncing" : state,
    lag: head === null ? null : Math.max(status.lag ?? 0, head - (rebuild?.indexed ?? startBlock - 1)),
    percent: rebuild?.percent ?? 0,
    etaSeconds: rebuild?.etaSeconds ?? null,
  };
}

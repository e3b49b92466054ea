import { Worker } from "node:worker_threads";
import { type RestartPolicy, SupervisedWorker, type WorkerHealth } from "@purse/workers";
import type { ChainStatus } from "../model/chainStatus.ts";
import type { Logger } from "../model/logger.ts";
import type { BlockIdentity } from "../model/rows.ts";
import type { TokenMetadataReading } from "../model/tokens.ts";
import { type FetchContent, fetchWithDeadline } from "../nft/fetchContent.ts";
import type { MetadataRefresh } from "../nft/metadataRefresh.ts";
import type { IndexedRange } from "./scope.ts";
import type { Command, HostMessage, IndexerWorkerData, WorkerMessage } from "./workerMessages.ts";

export interface IndexerWorkerOptions {
  log: Logger;
  fetchContent: FetchContent;
  /** Called with each range that has been written. */
  onIndexed?: ((range: IndexedRange) => void) | undefined;
  restart?: RestartPolicy | undefined;
  /** The worker module. Tests replace it with one that they can crash. */
  module?: URL | undefined;
}

const WORKER_MODULE = new URL("./indexerThread.ts", import.meta.url);
/** Crashes that are further apart do not count together. */
const DEFAULT_RESTART: RestartPolicy = {
  delaysMs: [0, 1_000, 5_000, 15_000, 30_000],
  maxFailures: 8,
  windowMs: 10 * 60_000,
};

/** Max pending commands; the oldest are dropped. */
const MAX_PENDING_COMMANDS = 10_000;
/** Timeout for a graceful stop, in ms. */
const STOP_TIMEOUT_MS = 10_000;
/** Heap limit of the worker: if it is exceeded, the worker is restarted and the process survives. */
const MAX_HEAP_MB = 1_536;

/** Runs the indexers of all chains in a supervised worker thread. */
export class IndexerWorker {
  readonly #log: Logger;
  readonly #fetchContent: FetchContent;
  readonly #onIndexed: IndexerWorkerOptions["onIndexed"];
  readonly #restart: RestartPolicy;
  readonly #module: URL;
  readonly #statuses = new Map<number, ChainStatus>();
  readonly #listeners = new Set<(status: ChainStatus) => void>();
  readonly #historyListeners = new Set<(chainId: number, addresses: readonly string[]) => void>();
  readonly #finalBlockListeners = new Set<(chainId: number, block: BlockIdentity) => void>();
  /** Commands that the worker has not confirmed; sent again after a restart. */
  readonly #commands = new Map<number, Command>();
  #lastCommand = 0;
  /** Aborts fetches for the worker; replaced after each restart. */
  #fetches = new AbortController();
  #worker: SupervisedWorker<WorkerMessage> | undefined;
  #stopped = Promise.withResolvers<void>();

  constructor({
    log,
    fetchContent,
    onIndexed,
    restart = DEFAULT_RESTART,
    module = WORKER_MODULE,
  }: IndexerWorkerOptions) {
    this.#log = log;
    this.#fetchContent = fetchContent;
    this.#onIndexed = onIndexed;
    this.#restart = restart;
    this.#module = module;
  }

  /** Resolves when the indexes are open; does not wait for nodes. Rejects if an index cannot be opened. */
  async start(data: Omit<IndexerWorkerData, "isRestart">): Promise<void> {
    let isRestart = false;
    this.#worker = new SupervisedWorker<WorkerMessage>({
      name: "chain indexer",
      spawn: () =>
        new Worker(this.#module, {
          workerData: { ...data, isRestart } satisfies IndexerWorkerData,
          resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
        }),
      logger: this.#log,
      restart: this.#restart,
      onMessage: (message) => this.#receive(message),
      onReady: () => {
        isRestart = true;
        this.#resume();
      },
      onLost: (error) => this.#handleExit(error),
    });
    await this.#worker.start();
  }

  async stop(): Promise<void> {
    const worker = this.#worker;
    if (!worker) return;
    this.#fetches.abort();
    if (worker.state === "ready") {
      this.#stopped = Promise.withResolvers();
      worker.post({ kind: "stop" } satisfies HostMessage);
      const timeout = Promise.withResolvers<void>();
      const timer = setTimeout(timeout.resolve, STOP_TIMEOUT_MS);
      await Promise.race([this.#stopped.promise, timeout.promise]);
      clearTimeout(timer);
    }
    this.#worker = undefined;
    await worker.stop();
  }

  /** undefined if no chain is indexed. */
  health(): WorkerHealth | undefined {
    return this.#worker?.health();
  }

  /** undefined before the first poll. */
  status(chainId: number): ChainStatus | undefined {
    const status = this.#statuses.get(chainId);
    return status && this.#withIndexerHealth(status);
  }

  /** Returns a function that unsubscribes. */
  onStatus(listener: (status: ChainStatus) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Reports addresses with new history. Returns a function that unsubscribes. */
  onHistory(listener: (chainId: number, addresses: readonly string[]) => void): () => void {
    this.#historyListeners.add(listener);
    return () => this.#historyListeners.delete(listener);
  }

  /** Reports the final blocks that the nodes of the chains must have. */
  onFinalBlock(listener: (chainId: number, block: BlockIdentity) => void): void {
    this.#finalBlockListeners.add(listener);
  }

  watch(chainId: number, addresses: string[]): void {
    this.#sendCommand({ kind: "watch", chainId, addresses });
  }

  saveTokenMetadata(chainId: number, reading: TokenMetadataReading): void {
    this.#sendCommand({ kind: "saveTokenMetadata", chainId, reading });
  }

  /** Refreshes the metadata of NFTs. */
  refreshMetadata(chainId: number, refresh: MetadataRefresh): void {
    this.#sendCommand({ kind: "refreshMetadata", chainId, refresh });
  }

  /** Marks a status as outdated if the worker has exited. */
  #withIndexerHealth(status: ChainStatus): ChainStatus {
    const health = this.#worker?.health();
    if (health?.state !== "restarting" && health?.state !== "failed") return status;
    // The reason is only logged: statuses are public.
    return health.state === "failed"
      ? { ...status, state: "stopped", error: "the indexer has failed" }
      : { ...status, state: "unreachable", error: "the indexer is restarting" };
  }

  #receive(message: WorkerMessage): void {
    if (message.kind === "log") this.#log[message.level](message.message, message.fields);
    else if (message.kind === "status") this.#updateStatus(message.status);
    else if (message.kind === "history") {
      for (const listener of this.#historyListeners) listener(message.chainId, message.addresses);
    } else if (message.kind === "final") {
      for (const listener of this.#finalBlockListeners) listener(message.chainId, message.block);
    } else if (message.kind === "done") this.#commands.delete(message.id);
    else if (message.kind === "fetch") this.#fetch(message);
    else if (message.kind === "indexed") this.#onIndexed?.(message.range);
    else this.#stopped.resolve();
  }

  #resume(): void {
    this.#fetches = new AbortController();
    for (const [id, command] of this.#commands) this.#post({ kind: "command", id, command });
  }

  #handleExit(error: Error): void {
    this.#fetches.abort();
    this.#stopped.resolve();
    this.#log.error("the chain indexer has exited", { error: error.message });
    for (const status of this.#statuses.values())
      for (const listener of this.#listeners) listener(this.#withIndexerHealth(status));
  }

  /** Results for an exited worker are dropped. */
  async #fetch({ id, uri, maxBytes, deadlineMs }: Extract<WorkerMessage, { kind: "fetch" }>): Promise<void> {
    const { signal } = this.#fetches;
    const deadlineSignal = AbortSignal.any([AbortSignal.timeout(deadlineMs), signal]);
    const content = await fetchWithDeadline(this.#fetchContent, uri, maxBytes, deadlineSignal);
    if (!signal.aborted) this.#post({ kind: "fetched", id, content });
  }

  #updateStatus(status: ChainStatus): void {
    this.#statuses.set(status.chain, status);
    for (const listener of this.#listeners) listener(status);
  }

  #sendCommand(command: Command): void {
    const id = ++this.#lastCommand;
    if (this.#commands.size >= MAX_PENDING_COMMANDS) {
      const [oldest] = this.#commands.keys();
      if (oldest !== undefined) this.#commands.delete(oldest);
    }
    this.#commands.set(id, command);
    this.#post({ kind: "command", id, command });
  }

  /** Sends to a ready worker; a starting one receives the commands when it is ready. */
  #post(message: HostMessage): void {
    if (this.#worker?.state === "ready") this.#worker.post(message);
  }
}

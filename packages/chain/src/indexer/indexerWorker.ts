import { Worker } from "node:worker_threads";
import { type RestartPolicy, SupervisedWorker, type WorkerHealth } from "@purse/workers";
import type { ChainStatus } from "../model/chainStatus.ts";
import type { Logger } from "../model/logger.ts";
import type { TokenFacts } from "../model/tokens.ts";
import { type FetchContent, fetchWithin } from "../nft/fetchContent.ts";
import type { MetadataRefresh } from "../nft/metadataRefresh.ts";
import type { Command, FromThread, ThreadData, ToThread } from "./workerMessages.ts";

export interface SyncOptions {
  log: Logger;
  fetchContent: FetchContent;
  restart?: RestartPolicy | undefined;
  /** The module that runs in the thread; another one for tests that end it. */
  module?: URL | undefined;
}

const SYNC_THREAD = new URL("./worker.ts", import.meta.url);
/** Crashes that are further apart than this do not add up to giving up. */
const RESTART: RestartPolicy = {
  delaysMs: [0, 1_000, 5_000, 15_000, 30_000],
  maxFailures: 8,
  windowMs: 10 * 60_000,
};

/** Commands that wait to be carried out, at most: beyond, the oldest are forgotten. */
const MAX_COMMANDS = 10_000;
/** How long a thread that is asked to stop may take to end its work, in ms. */
const STOP_MS = 10_000;
/** Of the indexing thread's heap: beyond, the thread ends and is restarted, and the process lives on. */
const MAX_HEAP_MB = 1_536;

/** The indexing of chains, in a thread of its own that is restarted when it ends. */
export class Sync {
  readonly #log: Logger;
  readonly #fetchContent: FetchContent;
  readonly #restart: RestartPolicy;
  readonly #module: URL;
  readonly #statuses = new Map<number, ChainStatus>();
  readonly #listeners = new Set<(status: ChainStatus) => void>();
  readonly #historyListeners = new Set<(chainId: number, addresses: readonly string[]) => void>();
  /** What the thread has not said to have done: a thread that takes its place is told again. */
  readonly #commands = new Map<number, Command>();
  #lastCommand = 0;
  /** Ends what is being fetched for the thread; another one for each thread. */
  #fetches = new AbortController();
  #worker: SupervisedWorker<FromThread> | undefined;
  #stopped = Promise.withResolvers<void>();

  constructor({ log, fetchContent, restart = RESTART, module = SYNC_THREAD }: SyncOptions) {
    this.#log = log;
    this.#fetchContent = fetchContent;
    this.#restart = restart;
    this.#module = module;
  }

  /** Resolves when the indexes are open; does not wait for nodes. Rejects where an index cannot be opened. */
  async start(data: ThreadData): Promise<void> {
    this.#worker = new SupervisedWorker<FromThread>({
      name: "chain indexer",
      spawn: () =>
        new Worker(this.#module, {
          workerData: data,
          resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
        }),
      logger: this.#log,
      restart: this.#restart,
      onMessage: (message) => this.#receive(message),
      onReady: () => this.#resume(),
      onLost: (error) => this.#lose(error),
    });
    await this.#worker.start();
  }

  async stop(): Promise<void> {
    const worker = this.#worker;
    if (!worker) return;
    this.#fetches.abort();
    if (worker.state === "ready") {
      this.#stopped = Promise.withResolvers();
      worker.post({ kind: "stop" } satisfies ToThread);
      const enough = Promise.withResolvers<void>();
      const timer = setTimeout(enough.resolve, STOP_MS);
      await Promise.race([this.#stopped.promise, enough.promise]);
      clearTimeout(timer);
    }
    this.#worker = undefined;
    await worker.stop();
  }

  /** undefined where no chain is indexed. */
  health(): WorkerHealth | undefined {
    return this.#worker?.health();
  }

  /** undefined before the chain was first looked at. */
  status(chainId: number): ChainStatus | undefined {
    const status = this.#statuses.get(chainId);
    return status && this.#withIndexer(status);
  }

  /** Returns the way to be told no longer. */
  onStatus(listener: (status: ChainStatus) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Told of addresses of which more history has been read. Returns the way to be told no longer. */
  onHistory(listener: (chainId: number, addresses: readonly string[]) => void): () => void {
    this.#historyListeners.add(listener);
    return () => this.#historyListeners.delete(listener);
  }

  watch(chainId: number, addresses: string[]): void {
    this.#command({ kind: "watch", chainId, addresses });
  }

  learn(chainId: number, tokens: TokenFacts[]): void {
    this.#command({ kind: "learn", chainId, tokens });
  }

  /** Has what tokens are read again. */
  reread(chainId: number, reread: MetadataRefresh): void {
    this.#command({ kind: "reread", chainId, reread });
  }

  /** A status that was told before the thread ended says so. */
  #withIndexer(status: ChainStatus): ChainStatus {
    const health = this.#worker?.health();
    if (health?.state !== "restarting" && health?.state !== "failed") return status;
    // Why it has ended is for the log: statuses are shown to everybody.
    return health.state === "failed"
      ? { ...status, state: "stopped", error: "the indexer has ended" }
      : { ...status, state: "unreachable", error: "the indexer is being restarted" };
  }

  #receive(message: FromThread): void {
    if (message.kind === "log") this.#log[message.level](message.message, message.fields);
    else if (message.kind === "status") this.#take(message.status);
    else if (message.kind === "history") {
      for (const listener of this.#historyListeners) listener(message.chainId, message.addresses);
    } else if (message.kind === "done") this.#commands.delete(message.id);
    else if (message.kind === "fetch") this.#fetch(message);
    else this.#stopped.resolve();
  }

  #resume(): void {
    this.#fetches = new AbortController();
    for (const [id, command] of this.#commands) this.#post({ kind: "command", id, command });
  }

  #lose(error: Error): void {
    this.#fetches.abort();
    this.#stopped.resolve();
    this.#log.error("the indexing of chains has ended", { error: error.message });
    for (const status of this.#statuses.values())
      for (const listener of this.#listeners) listener(this.#withIndexer(status));
  }

  /** What was fetched for a thread that has ended is nobody's. */
  async #fetch({ id, uri, maxBytes, deadlineMs }: Extract<FromThread, { kind: "fetch" }>): Promise<void> {
    const { signal } = this.#fetches;
    const within = AbortSignal.any([AbortSignal.timeout(deadlineMs), signal]);
    const content = await fetchWithin(this.#fetchContent, uri, maxBytes, within);
    if (!signal.aborted) this.#post({ kind: "fetched", id, content });
  }

  #take(status: ChainStatus): void {
    this.#statuses.set(status.chain, status);
    for (const listener of this.#listeners) listener(status);
  }

  #command(command: Command): void {
    const id = ++this.#lastCommand;
    if (this.#commands.size >= MAX_COMMANDS) {
      const [oldest] = this.#commands.keys();
      if (oldest !== undefined) this.#commands.delete(oldest);
    }
    this.#commands.set(id, command);
    this.#post({ kind: "command", id, command });
  }

  /** To a thread that is ready: one that is on its way is told of commands when it comes. */
  #post(message: ToThread): void {
    if (this.#worker?.state === "ready") this.#worker.post(message);
  }
}

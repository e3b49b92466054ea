import { setTimeout as sleep } from "node:timers/promises";
import type { ChainStatus } from "../model/chainStatus.ts";
import type { Logger } from "../model/logger.ts";
import { INDEX_DATABASE_UNAVAILABLE, IndexDatabaseError } from "../store/indexErrors.ts";
import { initialStatus } from "./initialStatus.ts";
import type { RunningIndexer } from "./startIndexing.ts";
import type { LocatedChain } from "./workerMessages.ts";

export interface ChainIndexersOptions {
  /** Opens the index of a chain and starts its indexer. Rejects if the index cannot be opened. */
  startIndexer(chain: LocatedChain): Promise<RunningIndexer>;
  onStatus(status: ChainStatus): void;
  log: Logger;
  /**
   * Whether the server runs already, and only the thread of the indexers has started anew: they then wait for the
   * database of all chains, too, instead of failing.
   */
  isRestart?: boolean;
  /** How long the start waits for a database that only indexes use, in ms. */
  maxWaitMs?: number;
  /** Delay before the second attempt to open an index, in ms; it doubles with each attempt. */
  retryMs?: number;
}

/** How the start of a chain waits for the first attempt to open its index. */
interface Wait {
  isOver: boolean;
  end(): void;
}

const MAX_WAIT_MS = 10_000;
const RETRY_MS = 1_000;
const MAX_RETRY_MS = 30_000;

/**
 * The indexers of all chains. A database that only indexes use may be unavailable: the server and the other chains
 * start without it, and its indexes are opened as soon as they can be. A running server also waits for the database of
 * all chains.
 */
export class ChainIndexers {
  readonly #options: ChainIndexersOptions;
  readonly #started = new Map<number, Promise<RunningIndexer>>();
  readonly #running = new Set<RunningIndexer>();
  readonly #stopping = new AbortController();

  constructor(options: ChainIndexersOptions) {
    this.#options = options;
  }

  /** Rejects if the index cannot be opened, unless its database may be unavailable. */
  async start(chain: LocatedChain): Promise<void> {
    const { config } = chain;
    const attempted = Promise.withResolvers<void>();
    const wait: Wait = {
      isOver: false,
      end() {
        this.isOver = true;
        attempted.resolve();
      },
    };
    const started = this.#start(chain, wait);
    this.#started.set(config.id, started);
    if (!config.database && !this.#options.isRestart) {
      await started;
      return;
    }
    if (!config.database) started.catch(attempted.reject);
    // Rejects if the indexers are stopped before.
    started.catch(() => undefined);
    const timer = setTimeout(() => wait.end(), this.#options.maxWaitMs ?? MAX_WAIT_MS);
    await attempted.promise.finally(() => clearTimeout(timer));
  }

  /** The indexer of a chain, once its index is open; undefined for an unknown chain. */
  async get(chainId: number): Promise<RunningIndexer | undefined> {
    return this.#started.get(chainId);
  }

  /** Stops all indexers, also if some of them fail to. Does not wait for indexes that are not open. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    const results = await Promise.allSettled([...this.#running].map((indexer) => indexer.stop()));
    for (const result of results)
      if (result.status === "rejected")
        this.#options.log.warn("an indexer was not stopped properly", { error: String(result.reason) });
  }

  async #start(chain: LocatedChain, wait: Wait): Promise<RunningIndexer> {
    const { startIndexer, onStatus, log, isRestart, retryMs = RETRY_MS } = this.#options;
    const { config } = chain;
    const { signal } = this.#stopping;
    for (let attempt = 1; ; attempt += 1) {
      try {
        const indexer = await startIndexer(chain);
        if (signal.aborted) await indexer.stop();
        signal.throwIfAborted();
        this.#running.add(indexer);
        wait.end();
        return indexer;
      } catch (error) {
        const canWait =
          config.database || (isRestart && (wait.isOver || error instanceof IndexDatabaseError));
        if (!canWait || signal.aborted) throw error;
        if (attempt === 1)
          log.error("the index database of a chain cannot be used; it is tried again", {
            chain: config.name,
            error: String(error),
          });
        onStatus({
          ...initialStatus(config),
          state: "unreachable",
          isDatabaseUnavailable: true,
          error: INDEX_DATABASE_UNAVAILABLE,
        });
        wait.end();
        await sleep(Math.min(MAX_RETRY_MS, retryMs * 2 ** Math.min(attempt - 1, 10)), undefined, { signal });
      }
    }
  }
}

import { Worker } from "node:worker_threads";
import { type WorkerLogger, WorkerPool } from "@purse/workers";
import type { ChainStore } from "./chainStore.ts";
import { ConnectionQueue } from "./connectionQueue.ts";
import type { HolderChanges } from "./countHolders.ts";
import { IndexReadError } from "./indexErrors.ts";
import { currentGroup } from "./requestGroup.ts";

/** Counts that are read and computed at the same time, of all chains. */
const MAX_RUNNING = 2;
/** How long a request waits for its turn, in ms. */
const MAX_WAIT_MS = 5_000;
const TIMEOUT_MS = 10_000;

/** Counts the holders of tokens at earlier blocks: few at a time, in a thread that exists only while it is needed. */
export class HolderCounter {
  readonly #queue = new ConnectionQueue(MAX_RUNNING, MAX_WAIT_MS);
  readonly #pool: WorkerPool<HolderChanges, number[]>;

  constructor(logger: WorkerLogger) {
    this.#pool = new WorkerPool({
      name: "holder counts",
      spawn: () => new Worker(new URL("./countHoldersThread.ts", import.meta.url)),
      size: 1,
      minSize: 0,
      maxQueued: MAX_RUNNING,
      maxWaitMs: TIMEOUT_MS,
      timeoutMs: TIMEOUT_MS,
      logger,
    });
  }

  /**
   * The number of holders of an ERC-20 token at the end of each block, which are in descending order. Rejects with
   * IndexReadError.
   */
  count(store: ChainStore, token: string, blocks: readonly number[]): Promise<number[]> {
    return this.#queue.run(currentGroup(), async () => {
      const changes = await store.erc20Balances.holderChanges(token, blocks);
      try {
        return await this.#pool.call(changes);
      } catch (error) {
        throw new IndexReadError("unavailable", error instanceof Error ? error.message : String(error));
      }
    });
  }

  async stop(): Promise<void> {
    await this.#pool.stop();
  }
}

import { Worker } from "node:worker_threads";
import { type WorkerLogger, WorkerPool } from "@purse/workers";
import { CheckpointConflictError } from "./indexWriter.ts";
import type { AppendRequest, AppendResponse } from "./sqliteAppendWorker.ts";
import type { EncodedBlocks } from "./sqliteNewBlocks.ts";

/** How long the thread is kept without blocks, in ms. */
const IDLE_MS = 10_000;
/** How long a thread may take to start, in ms. */
const MAX_START_MS = 60_000;
/** Timeout of one transaction, in ms. */
const TIMEOUT_MS = 10 * 60_000;

/**
 * Appends many blocks to an SQLite index in a thread of its own, so that the next ones are fetched and decoded
 * meanwhile. The thread exists only while there are many blocks to append.
 */
export class SqliteAppendThread {
  readonly #path: string;
  readonly #pool: WorkerPool<AppendRequest, AppendResponse>;

  constructor(path: string, logger: WorkerLogger) {
    this.#path = path;
    this.#pool = new WorkerPool({
      name: "index append",
      spawn: () => new Worker(new URL("./sqliteAppendWorker.ts", import.meta.url), { name: "index append" }),
      size: 1,
      minSize: 0,
      idleTimeoutMs: IDLE_MS,
      maxQueued: 1,
      maxWaitMs: MAX_START_MS,
      timeoutMs: TIMEOUT_MS,
      logger,
    });
  }

  /** See SqliteNewBlocks. The memory of the blocks moves to the thread. */
  async append(parentHash: string | undefined, blocks: EncodedBlocks): Promise<void> {
    const request = { path: this.#path, parentHash, blocks };
    const response = await this.#pool.call(request, { transfer: [blocks.buffer] });
    if (response) throw new CheckpointConflictError(response.conflict);
  }

  stop(): Promise<void> {
    return this.#pool.stop();
  }
}

import { Worker } from "node:worker_threads";
import { ErrorCode, ProtocolError } from "@purse/protocol";
import {
  DEFAULT_RESTART_POLICY,
  WorkerExitedError,
  type WorkerHealth,
  WorkerOverloadedError,
  WorkerPool,
  WorkerTimeoutError,
} from "@purse/workers";
import { responseTooLarge } from "../../core/limits/answerSize.ts";
import type { Logger } from "../../core/logger.ts";
import type { Stage } from "../pipeline/stage.ts";
import type { AggregationJob, AggregationResult } from "./aggregationThread.ts";

/** Maximum duration of a pipeline, in ms. */
const TIMEOUT_MS = 20_000;
/** Memory limit of a pipeline, in MiB; the thread ends if it is exceeded. */
const MEMORY_LIMIT_MB = 1_024;
const MAX_QUEUED = 100;

export interface AggregationWorkerOptions {
  logger: Logger;
  /** Maximum number of characters in the results of a pipeline. */
  maxResultBytes: number;
}

/**
 * Runs aggregation stages that cannot be expressed in SQL. They run in a worker thread, so that expensive ones do not
 * block other requests.
 */
export class AggregationWorker {
  readonly #pool: WorkerPool<AggregationJob, AggregationResult>;
  readonly #maxResultBytes: number;

  constructor({ logger, maxResultBytes }: AggregationWorkerOptions) {
    this.#maxResultBytes = maxResultBytes;
    this.#pool = new WorkerPool({
      name: "aggregation worker",
      spawn: () =>
        new Worker(new URL("./aggregationThread.ts", import.meta.url), {
          resourceLimits: { maxOldGenerationSizeMb: MEMORY_LIMIT_MB },
        }),
      size: 1,
      minSize: 0,
      maxQueued: MAX_QUEUED,
      maxWaitMs: TIMEOUT_MS,
      timeoutMs: TIMEOUT_MS,
      // Threads only end because of their pipeline; the next one may be cheaper, so restarts are not limited.
      restart: { ...DEFAULT_RESTART_POLICY, maxFailures: Number.POSITIVE_INFINITY },
      logger,
    });
  }

  /**
   * Returns the JSON text of each result. Throws 102 for invalid stages, 116 if the results are too large, 124 on a
   * timeout.
   */
  async run(
    texts: readonly string[],
    stages: readonly Stage[],
    lookupCollections: Record<string, readonly string[]>,
  ): Promise<readonly string[]> {
    try {
      const maxChars = this.#maxResultBytes;
      const result = await this.#pool.call({ texts, stages, lookupCollections, maxChars });
      if ("results" in result) return result.results;
      if ("isTooLarge" in result) throw responseTooLarge(maxChars);
      throw new ProtocolError(ErrorCode.INVALID_QUERY, result.error.slice(0, 300));
    } catch (error) {
      throw toProtocolError(error);
    }
  }

  workers(): WorkerHealth[] {
    return this.#pool.health();
  }

  stop(): Promise<void> {
    return this.#pool.stop();
  }
}

function toProtocolError(error: unknown): unknown {
  if (error instanceof WorkerTimeoutError) {
    return new ProtocolError(ErrorCode.TIMEOUT, "The aggregation took too long");
  }
  if (error instanceof WorkerOverloadedError) {
    return new ProtocolError(ErrorCode.TIMEOUT, "Other aggregations are running, try again later", 503);
  }
  if (error instanceof WorkerExitedError || (error instanceof Error && isOutOfMemory(error))) {
    return new ProtocolError(
      ErrorCode.INVALID_QUERY,
      "The aggregation exceeds the memory limit: match fewer objects",
    );
  }
  return error;
}

function isOutOfMemory(error: Error): boolean {
  return "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
}

import { Worker } from "node:worker_threads";
import { ErrorCode, type JsonObject, type JsonValue, ProtocolError } from "@purse/protocol";
import {
  DEFAULT_RESTART_POLICY,
  WorkerExitedError,
  type WorkerHealth,
  WorkerOverloadedError,
  WorkerPool,
  WorkerTimeoutError,
} from "@purse/workers";
import { responseTooLarge } from "../limits/requestScope.ts";
import type { Logger } from "../observe/logger.ts";
import type { PipelineAnswer, PipelineRequest } from "./pipelineThread.ts";

/** How long a pipeline may take over its objects, in ms. */
const DEADLINE_MS = 20_000;
/** Memory of one pipeline, in MiB; beyond it the thread ends. */
const MEMORY_MB = 1_024;
const MAX_QUEUED = 100;

export interface PipelinesOptions {
  log: Logger;
  /** Characters of the results of one pipeline, at most. */
  maxAnswerBytes: number;
}

/** Runs the stages of aggregations that no SQL does, in a thread of their own: whatever they cost, others go on. */
export class Pipelines {
  readonly #pool: WorkerPool<PipelineRequest, PipelineAnswer>;
  readonly #maxAnswerBytes: number;

  constructor({ log, maxAnswerBytes }: PipelinesOptions) {
    this.#maxAnswerBytes = maxAnswerBytes;
    this.#pool = new WorkerPool({
      name: "aggregation worker",
      spawn: () =>
        new Worker(new URL("./pipelineThread.ts", import.meta.url), {
          resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
        }),
      size: 1,
      minSize: 0,
      maxQueued: MAX_QUEUED,
      maxWaitMs: DEADLINE_MS,
      timeoutMs: DEADLINE_MS,
      // What ends a thread is the pipeline in it: the next one may be a smaller one.
      restart: { ...DEFAULT_RESTART_POLICY, maxFailures: Number.POSITIVE_INFINITY },
      log,
    });
  }

  /** Throws 102 for what the stages cannot do, 116 where their results are too large, 124 when it takes too long. */
  async run(texts: string[], stages: JsonObject[], others: Record<string, string[]>): Promise<JsonValue[]> {
    try {
      const maxChars = this.#maxAnswerBytes;
      const answer = await this.#pool.call({ texts, stages, others, maxChars });
      if ("results" in answer) return answer.results;
      if ("isTooLarge" in answer) throw responseTooLarge(maxChars);
      throw new ProtocolError(ErrorCode.INVALID_QUERY, answer.error.slice(0, 300));
    } catch (error) {
      throw asProtocolError(error);
    }
  }

  workers(): WorkerHealth[] {
    return this.#pool.health();
  }

  stop(): Promise<void> {
    return this.#pool.stop();
  }
}

function asProtocolError(error: unknown): unknown {
  if (error instanceof WorkerTimeoutError) {
    return new ProtocolError(ErrorCode.TIMEOUT, "The aggregation took too long");
  }
  if (error instanceof WorkerOverloadedError) {
    return new ProtocolError(ErrorCode.TIMEOUT, "Other aggregations are under way, try again later", 503);
  }
  if (error instanceof WorkerExitedError || (error instanceof Error && isOutOfMemory(error))) {
    return new ProtocolError(
      ErrorCode.INVALID_QUERY,
      "The aggregation takes too much memory: match fewer objects",
    );
  }
  return error;
}

function isOutOfMemory(error: Error): boolean {
  return "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
}

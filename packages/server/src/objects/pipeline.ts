import { Worker } from "node:worker_threads";
import { ErrorCode, type JsonObject, type JsonValue, ProtocolError } from "@purse/protocol";
import type { PipelineAnswer, PipelineJob } from "./pipelineThread.ts";

/** How long a pipeline may take over its objects, in ms. */
const DEADLINE_MS = 20_000;

interface Waiting {
  resolve(results: JsonValue[]): void;
  reject(error: Error): void;
  timer: NodeJS.Timeout;
}

/** Runs the stages of aggregations that no SQL does, in a thread of their own: whatever they cost, others go on. */
export class Pipelines {
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #nextId = 1;

  /** Throws 102 for what the stages cannot do, 124 when it takes too long. */
  run(texts: string[], stages: JsonObject[], others: Record<string, string[]>): Promise<JsonValue[]> {
    const job: PipelineJob = { id: this.#nextId++, texts, stages, others };
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#giveUp(), DEADLINE_MS);
      this.#waiting.set(job.id, { resolve, reject, timer });
      this.#thread().postMessage(job);
    });
  }

  async stop(): Promise<void> {
    await this.#worker?.terminate();
  }

  #thread(): Worker {
    if (this.#worker) return this.#worker;
    const worker = new Worker(new URL("./pipelineThread.ts", import.meta.url));
    worker.unref();
    worker.on("message", (answer: PipelineAnswer) => this.#settle(answer));
    worker.on("error", (error) => this.#endAll(error instanceof Error ? error : new Error(String(error))));
    this.#worker = worker;
    return worker;
  }

  #settle(answer: PipelineAnswer): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    clearTimeout(waiting?.timer);
    if ("results" in answer) waiting?.resolve(answer.results);
    else waiting?.reject(new ProtocolError(ErrorCode.INVALID_QUERY, answer.error.slice(0, 300)));
  }

  #giveUp(): void {
    void this.#worker?.terminate();
    this.#endAll(new ProtocolError(ErrorCode.TIMEOUT, "The aggregation took too long"));
  }

  #endAll(error: Error): void {
    this.#worker = undefined;
    for (const waiting of this.#waiting.values()) {
      clearTimeout(waiting.timer);
      waiting.reject(error);
    }
    this.#waiting.clear();
  }
}

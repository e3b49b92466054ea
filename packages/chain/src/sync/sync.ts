import { Worker } from "node:worker_threads";
import { type FetchContent, fetchWithin } from "../nft/fetchedContent.ts";
import type { TokenFacts } from "../store/indexWriter.ts";
import type { ChainStatus, Log } from "../types.ts";
import type { FromThread, Reread, ThreadData, ToThread } from "./messages.ts";

/** The following of chains, which runs in a thread of its own. */
export class Sync {
  readonly #log: Log;
  readonly #fetchContent: FetchContent;
  readonly #stopping = new AbortController();
  #worker: Worker | undefined;
  readonly #statuses = new Map<number, ChainStatus>();
  readonly #listeners = new Set<(status: ChainStatus) => void>();
  #stopped = Promise.withResolvers<void>();

  constructor(log: Log, fetchContent: FetchContent) {
    this.#log = log;
    this.#fetchContent = fetchContent;
  }

  /** Resolves when the indexes are open; does not wait for nodes. Rejects where an index cannot be opened. */
  async start(data: ThreadData): Promise<void> {
    const worker = new Worker(new URL("./syncThread.ts", import.meta.url), { workerData: data });
    this.#worker = worker;
    this.#stopped = Promise.withResolvers();
    const ready = Promise.withResolvers<void>();
    worker.on("message", (message: FromThread) => {
      if (message.kind === "ready") ready.resolve();
      else if (message.kind === "log") this.#log[message.level](message.message, message.fields);
      else if (message.kind === "status") this.#take(message.status);
      else if (message.kind === "fetch") this.#fetch(message);
      else this.#stopped.resolve();
    });
    worker.on("error", (error) => {
      ready.reject(error);
      this.#log.error("the following of chains has ended", { error: String(error) });
    });
    worker.on("exit", () => this.#stopped.resolve());
    await ready.promise;
  }

  async stop(): Promise<void> {
    if (!this.#worker) return;
    this.#send({ kind: "stop" });
    this.#stopping.abort();
    await this.#stopped.promise;
    await this.#worker.terminate();
    this.#worker = undefined;
  }

  /** undefined before the chain was first looked at. */
  status(chainId: number): ChainStatus | undefined {
    return this.#statuses.get(chainId);
  }

  /** Returns the way to be told no longer. */
  onStatus(listener: (status: ChainStatus) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  watch(chainId: number, addresses: string[]): void {
    this.#send({ kind: "watch", chainId, addresses });
  }

  learn(chainId: number, tokens: TokenFacts[]): void {
    this.#send({ kind: "learn", chainId, tokens });
  }

  /** Has what tokens are read again. */
  reread(chainId: number, reread: Reread): void {
    this.#send({ kind: "reread", chainId, reread });
  }

  async #fetch({ id, uri, maxBytes, deadlineMs }: Extract<FromThread, { kind: "fetch" }>): Promise<void> {
    const signal = AbortSignal.any([AbortSignal.timeout(deadlineMs), this.#stopping.signal]);
    const content = await fetchWithin(this.#fetchContent, uri, maxBytes, signal);
    this.#send({ kind: "fetched", id, content });
  }

  #take(status: ChainStatus): void {
    this.#statuses.set(status.chain, status);
    for (const listener of this.#listeners) listener(status);
  }

  #send(message: ToThread): void {
    this.#worker?.postMessage(message);
  }
}

import { Worker } from "node:worker_threads";
import { ProtocolError } from "@purse/protocol";
import type { Statement } from "../sql/statement.ts";
import { ClaimTaken, LimitReached, type Write, type WriteResult } from "../store.ts";
import { encodeWrite } from "./encode.ts";
import type { WriterAnswer, WriterJob } from "./writerThread.ts";

interface Waiting {
  resolve(results: WriteResult[]): void;
  reject(error: Error): void;
}

/**
 * The main thread's end of the writer thread. Jobs of one turn of the event loop travel together; each resolves
 * when its commit is on disk.
 */
export class Writer {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  readonly #opened: Promise<void>;
  #pending: WriterJob[] = [];
  #nextId = 1;
  #failure: Error | undefined;

  constructor(file: string) {
    this.#worker = new Worker(new URL("./writerThread.ts", import.meta.url), { workerData: { file } });
    this.#opened = new Promise((resolve, reject) => {
      this.#worker.once("message", () => {
        this.#worker.on("message", (text: string) => this.#settle(JSON.parse(text)));
        resolve();
      });
      this.#worker.once("error", reject);
    });
    this.#worker.on("error", (error) => this.#fail(error));
    this.#worker.on("exit", () => this.#fail(new Error("The database's writer has stopped")));
  }

  /** Resolves once the database is open and its layout is current. */
  opened(): Promise<void> {
    return this.#opened;
  }

  write(group: Write[]): Promise<WriteResult[]> {
    const writes = group.map(encodeWrite);
    return this.#send((id) => ({ id, writes })).then((results) => {
      // The writer does not send back texts that were made here.
      writes.forEach((write, i) => {
        if (write.kind === "create") results[i] = { before: null, after: write.doc };
      });
      return results;
    });
  }

  async execute(statements: Statement[]): Promise<void> {
    await this.#send((id) => ({ id, statements }));
  }

  async close(): Promise<void> {
    const exited = new Promise((resolve) => this.#worker.once("exit", resolve));
    this.#flush();
    this.#worker.postMessage(null);
    await exited;
  }

  #send(job: (id: number) => WriterJob): Promise<WriteResult[]> {
    if (this.#failure) return Promise.reject(this.#failure);
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#pending.push(job(id));
      if (this.#pending.length === 1) setImmediate(() => this.#flush());
    });
  }

  #flush(): void {
    if (this.#pending.length === 0) return;
    this.#worker.postMessage(JSON.stringify(this.#pending));
    this.#pending = [];
  }

  #settle(answers: WriterAnswer[]): void {
    for (const answer of answers) {
      const waiting = this.#waiting.get(answer.id);
      this.#waiting.delete(answer.id);
      if ("results" in answer) waiting?.resolve(answer.results);
      else waiting?.reject(errorOf(answer.error));
    }
  }

  #fail(cause: unknown): void {
    const error = cause instanceof Error ? cause : new Error(String(cause));
    this.#failure ??= error;
    for (const waiting of this.#waiting.values()) waiting.reject(error);
    this.#waiting.clear();
  }
}

function errorOf(error: Extract<WriterAnswer, { error: unknown }>["error"]): Error {
  if (error.claim) return new ClaimTaken(error.claim.scope, error.claim.value, error.claim.owner);
  if (error.limit !== undefined) return new LimitReached(error.limit);
  if (error.code !== undefined) return new ProtocolError(error.code, error.message);
  return new Error(error.message);
}

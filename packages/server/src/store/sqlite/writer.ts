import { Worker } from "node:worker_threads";
import { ErrorCode, ProtocolError } from "@purse/protocol";
import { type RestartPolicy, SupervisedWorker, type WorkerHealth } from "@purse/workers";
import type { Logger } from "../../observe/logger.ts";
import type { Statement } from "../sql/statement.ts";
import { ClaimTaken, LimitReached, type Write, type WriteResult } from "../store.ts";
import { WriteOutcomeUnknownError } from "../writeOutcome.ts";
import { encodeWrite } from "./encode.ts";
import { DatabaseFaultError } from "./errors.ts";
import {
  jobChars,
  type Packed,
  pack,
  unpack,
  type WriterAnswer,
  type WriterError,
  type WriterJob,
} from "./writerMessages.ts";

export interface WriterOptions {
  log: Logger;
  /** Looks through the whole file before it is used, where that does not take long. */
  checksFile: boolean;
  /** Something is wrong with the database itself. */
  onFault(error: DatabaseFaultError): void;
  /** A commit is on disk. */
  onWritten(): void;
  /** The thread is not restarted any more. */
  onFailed?(error: Error): void;
  /** When the thread is restarted. */
  restart?: RestartPolicy;
  /** Makes the thread. */
  spawn?(data: WriterData): Worker;
}

export interface WriterData {
  file: string;
  checksFile: boolean;
}

function spawnThread(workerData: WriterData): Worker {
  return new Worker(new URL("./writerThread.ts", import.meta.url), { workerData });
}

interface Waiting {
  resolve(results: WriteResult[]): void;
  reject(error: Error): void;
  chars: number;
  isSent: boolean;
}

/** Jobs, and characters in them, that may wait for their commit. */
const MAX_WAITING = 50_000;
const MAX_WAITING_CHARS = 256 * 1024 * 1024;
/** How long the thread may take to write what it holds when it is closed, in ms. */
const CLOSE_TIMEOUT_MS = 8_000;

/**
 * The main thread's end of the writer thread. Jobs of one turn of the event loop travel together; each resolves
 * when its commit is on disk. A thread that ends is started again: what it held is rejected with
 * WriteOutcomeUnknownError, what it had not been given waits for the next one.
 */
export class Writer {
  readonly #options: WriterOptions;
  readonly #worker: SupervisedWorker<Packed<WriterAnswer>>;
  readonly #waiting = new Map<number, Waiting>();
  #waitingChars = 0;
  #pending: WriterJob[] = [];
  #isFlushing = false;
  #nextId = 1;
  /** Why nothing is written any more. */
  #refusal: Error | undefined;

  /** Rejects where the database cannot be opened, or its layout not be made current. */
  static async open(file: string, options: WriterOptions): Promise<Writer> {
    const writer = new Writer(file, options);
    await writer.#worker.start();
    return writer;
  }

  private constructor(file: string, options: WriterOptions) {
    this.#options = options;
    let isFirst = options.checksFile;
    this.#worker = new SupervisedWorker({
      name: "database writer",
      spawn: () => {
        const data = { file, checksFile: isFirst };
        isFirst = false;
        return (options.spawn ?? spawnThread)(data);
      },
      onMessage: (answers) => this.#settle(unpack(answers)),
      onReady: () => this.#flush(),
      onLost: () => this.#rejectSent(),
      onFailed: (error) => {
        this.refuse(unavailable());
        options.onFailed?.(error);
      },
      log: options.log,
      ...(options.restart && { restart: options.restart }),
    });
  }

  health(): WorkerHealth[] {
    return [this.#worker.health()];
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

  /** Resolves where something can be written. */
  async probe(): Promise<void> {
    await this.#send((id) => ({ id, isProbe: true }));
  }

  /** From now on nothing is written. */
  refuse(error: Error): void {
    this.#refusal ??= error;
    for (const { id } of this.#pending.splice(0)) this.#take(id)?.reject(error);
  }

  async close(): Promise<void> {
    this.#flush();
    this.#refusal ??= new Error("The database is closed");
    await this.#worker.end(null, CLOSE_TIMEOUT_MS);
    this.#rejectSent();
    for (const { id } of this.#pending.splice(0)) this.#take(id)?.reject(this.#refusal);
  }

  #send(makeJob: (id: number) => WriterJob): Promise<WriteResult[]> {
    if (this.#refusal) return Promise.reject(this.#refusal);
    if (this.#waiting.size >= MAX_WAITING || this.#waitingChars >= MAX_WAITING_CHARS) {
      return Promise.reject(
        new ProtocolError(ErrorCode.TIMEOUT, "The database has too much to write, try again later", 503),
      );
    }
    const id = this.#nextId++;
    const job = makeJob(id);
    return new Promise((resolve, reject) => {
      const chars = jobChars(job);
      this.#waiting.set(id, { resolve, reject, chars, isSent: false });
      this.#waitingChars += chars;
      this.#pending.push(job);
      if (this.#isFlushing) return;
      this.#isFlushing = true;
      setImmediate(() => {
        this.#isFlushing = false;
        this.#flush();
      });
    });
  }

  /** Sends what has come in. While the thread is on its way it waits. */
  #flush(): void {
    if (this.#pending.length === 0 || this.#worker.state !== "ready") return;
    const jobs = this.#pending;
    this.#pending = [];
    for (const packed of pack(jobs, ({ id }) => this.#waiting.get(id)?.chars ?? 0)) this.#worker.post(packed);
    for (const { id } of jobs) {
      const waiting = this.#waiting.get(id);
      if (waiting) waiting.isSent = true;
    }
  }

  #settle(answers: WriterAnswer[]): void {
    for (const answer of answers) {
      const waiting = this.#take(answer.id);
      if ("results" in answer) {
        this.#worker.markHealthy();
        this.#options.onWritten();
        waiting?.resolve(answer.results);
      } else waiting?.reject(this.#errorOf(answer.error));
    }
  }

  #take(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    if (!waiting) return undefined;
    this.#waiting.delete(id);
    this.#waitingChars -= waiting.chars;
    return waiting;
  }

  /** The thread is gone: nobody knows what became of the jobs that it held. */
  #rejectSent(): void {
    for (const [id, { isSent }] of this.#waiting) {
      if (isSent) this.#take(id)?.reject(new WriteOutcomeUnknownError());
    }
  }

  #errorOf({ message, code, status, claim, limit, fault, isOutcomeUnknown }: WriterError): Error {
    if (claim) return new ClaimTaken(claim.scope, claim.value, claim.owner);
    if (limit !== undefined) return new LimitReached(limit);
    if (fault) {
      this.#options.onFault(new DatabaseFaultError(fault, message));
      return isOutcomeUnknown ? new WriteOutcomeUnknownError() : unavailable();
    }
    if (code !== undefined) return new ProtocolError(code, message, status);
    return new Error(message);
  }
}

export function unavailable(): ProtocolError {
  return new ProtocolError(
    ErrorCode.INTERNAL_SERVER_ERROR,
    "The database cannot be written, try again later",
    503,
  );
}

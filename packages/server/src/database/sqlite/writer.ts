import { Worker } from "node:worker_threads";
import { ErrorCode, ProtocolError } from "@purse/protocol";
import { type RestartPolicy, SupervisedWorker, type WorkerHealth } from "@purse/workers";
import type { Logger } from "../../core/logger.ts";
import type { Statement } from "../sql/statement.ts";
import { CounterLimitError, UniqueConstraintError, type Write, type WriteResult } from "../store.ts";
import { WriteOutcomeUnknownError } from "../writeOutcome.ts";
import { type EncodedWrite, encodeWrite } from "./encode.ts";
import { DatabaseFaultError } from "./errors.ts";
import {
  jobChars,
  type PackedMessages,
  pack,
  unpack,
  type WriterError,
  type WriterJob,
  type WriterResponse,
} from "./writerMessages.ts";

export interface WriterOptions {
  logger: Logger;
  /** Whether to check the integrity of the file when it is opened, unless it is large. */
  verifiesFile: boolean;
  /** Called for failures of the database itself. */
  onFault(error: DatabaseFaultError): void;
  /** Called after each commit. */
  onCommit(): void;
  /** Called when the thread has failed too often and is not restarted. */
  onFailed?(error: Error): void;
  /** Restart policy of the thread. */
  restart?: RestartPolicy;
  /** Creates the thread. */
  spawn?(data: WriterData): Worker;
}

export interface WriterData {
  file: string;
  verifiesFile: boolean;
}

function spawnWriterWorker(workerData: WriterData): Worker {
  return new Worker(new URL("./writerWorker.ts", import.meta.url), { workerData });
}

interface PendingJob {
  resolve(results: WriteResult[]): void;
  reject(error: Error): void;
  writes: readonly EncodedWrite[] | undefined;
  chars: number;
  isSent: boolean;
}

/** Maximum number of queued jobs, and of characters in them. */
const MAX_QUEUED_JOBS = 50_000;
const MAX_QUEUED_CHARS = 256 * 1024 * 1024;
/** Time for the thread to finish its writes on close, in ms. */
const CLOSE_TIMEOUT_MS = 8_000;

/**
 * Sends writes from the main thread to the writer thread. Jobs of the same event loop iteration are sent together; each
 * resolves when its commit is on disk. If the thread ends, it is restarted: jobs that it had received reject with
 * WriteOutcomeUnknownError, the others wait for the new thread.
 */
export class Writer {
  readonly #options: WriterOptions;
  readonly #worker: SupervisedWorker<PackedMessages<WriterResponse>>;
  readonly #jobs = new Map<number, PendingJob>();
  #queuedChars = 0;
  #unsent: WriterJob[] = [];
  #isFlushing = false;
  #nextId = 1;
  /** Set once writes are rejected. */
  #rejectionError: Error | undefined;

  /** Rejects if the database cannot be opened or migrated. */
  static async open(file: string, options: WriterOptions): Promise<Writer> {
    const writer = new Writer(file, options);
    await writer.#worker.start();
    return writer;
  }

  private constructor(file: string, options: WriterOptions) {
    this.#options = options;
    let isFirst = options.verifiesFile;
    this.#worker = new SupervisedWorker({
      name: "database writer",
      spawn: () => {
        const data = { file, verifiesFile: isFirst };
        isFirst = false;
        return (options.spawn ?? spawnWriterWorker)(data);
      },
      onMessage: (responses) => this.#settle(unpack(responses)),
      onReady: () => this.#flush(),
      onLost: () => this.#rejectSent(),
      onFailed: (error) => {
        this.rejectWrites(databaseUnavailableError());
        options.onFailed?.(error);
      },
      logger: options.logger,
      ...(options.restart && { restart: options.restart }),
    });
  }

  health(): WorkerHealth[] {
    return [this.#worker.health()];
  }

  write(group: Write[]): Promise<WriteResult[]> {
    const writes = group.map(encodeWrite);
    return this.#enqueue((id) => ({ id, writes }), writes);
  }

  async execute(statements: Statement[]): Promise<void> {
    await this.#enqueue((id) => ({ id, statements }));
  }

  /** Resolves if the database can be written. */
  async probe(): Promise<void> {
    await this.#enqueue((id) => ({ id, isProbe: true }));
  }

  /** Rejects all writes from now on. */
  rejectWrites(error: Error): void {
    this.#rejectionError ??= error;
    for (const { id } of this.#unsent.splice(0)) this.#removeJob(id)?.reject(error);
  }

  async close(): Promise<void> {
    this.#flush();
    this.#rejectionError ??= new Error("The database is closed");
    await this.#worker.shutDown(null, CLOSE_TIMEOUT_MS);
    this.#rejectSent();
    for (const { id } of this.#unsent.splice(0)) this.#removeJob(id)?.reject(this.#rejectionError);
  }

  #enqueue(makeJob: (id: number) => WriterJob, writes?: readonly EncodedWrite[]): Promise<WriteResult[]> {
    if (this.#rejectionError) return Promise.reject(this.#rejectionError);
    if (this.#jobs.size >= MAX_QUEUED_JOBS || this.#queuedChars >= MAX_QUEUED_CHARS) {
      return Promise.reject(
        new ProtocolError(ErrorCode.TIMEOUT, "The write queue of the database is full, try again later", 503),
      );
    }
    const id = this.#nextId++;
    const job = makeJob(id);
    return new Promise((resolve, reject) => {
      const chars = jobChars(job);
      this.#jobs.set(id, { resolve, reject, writes, chars, isSent: false });
      this.#queuedChars += chars;
      this.#unsent.push(job);
      if (this.#isFlushing) return;
      this.#isFlushing = true;
      setImmediate(() => {
        this.#isFlushing = false;
        this.#flush();
      });
    });
  }

  /** Sends the queued jobs if the thread is ready. */
  #flush(): void {
    if (this.#unsent.length === 0 || this.#worker.state !== "ready") return;
    const jobs = this.#unsent;
    this.#unsent = [];
    for (const packed of pack(jobs, ({ id }) => this.#jobs.get(id)?.chars ?? 0)) this.#worker.post(packed);
    for (const { id } of jobs) {
      const job = this.#jobs.get(id);
      if (job) job.isSent = true;
    }
  }

  #settle(responses: WriterResponse[]): void {
    for (const response of responses) {
      const job = this.#removeJob(response.id);
      if ("results" in response) {
        this.#worker.markHealthy();
        this.#options.onCommit();
        job?.resolve(withCreated(response.results, job.writes));
      } else job?.reject(this.#toError(response.error));
    }
  }

  #removeJob(id: number): PendingJob | undefined {
    const job = this.#jobs.get(id);
    if (!job) return undefined;
    this.#jobs.delete(id);
    this.#queuedChars -= job.chars;
    return job;
  }

  /** The thread has ended, so the outcome of the jobs that it had received is unknown. */
  #rejectSent(): void {
    for (const [id, { isSent }] of this.#jobs) {
      if (isSent) this.#removeJob(id)?.reject(new WriteOutcomeUnknownError());
    }
  }

  #toError({
    message,
    code,
    status,
    uniqueConflict,
    counterLimit,
    fault,
    isOutcomeUnknown,
  }: WriterError): Error {
    if (uniqueConflict)
      return new UniqueConstraintError(uniqueConflict.scope, uniqueConflict.value, uniqueConflict.owner);
    if (counterLimit !== undefined) return new CounterLimitError(counterLimit);
    if (fault) {
      this.#options.onFault(new DatabaseFaultError(fault, message));
      return isOutcomeUnknown ? new WriteOutcomeUnknownError() : databaseUnavailableError();
    }
    if (code !== undefined) return new ProtocolError(code, message, status);
    return new Error(message);
  }
}

/** Adds the documents that were created here, which the thread does not send back. */
function withCreated(results: WriteResult[], writes: readonly EncodedWrite[] = []): WriteResult[] {
  for (const [index, write] of writes.entries()) {
    if (write.kind === "create") results[index] = { before: null, after: write.doc };
  }
  return results;
}

export function databaseUnavailableError(): ProtocolError {
  return new ProtocolError(
    ErrorCode.INTERNAL_SERVER_ERROR,
    "The database cannot be written, try again later",
    503,
  );
}

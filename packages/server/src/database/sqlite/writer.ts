import { Worker } from "node:worker_threads";
import { ErrorCode, ProtocolError } from "@purse/protocol";
import { type RestartPolicy, SupervisedWorker, type WorkerHealth } from "@purse/workers";
import type { Logger } from "../../core/logger.ts";
import type { ObjectText } from "../objectText.ts";
import type { Statement } from "../sql/statement.ts";
import {
  CounterLimitError,
  type CreateWrite,
  UniqueConstraintError,
  type Write,
  type WriteResult,
} from "../store.ts";
import { WriteOutcomeUnknownError } from "../writeOutcome.ts";
import { type EncodedCreates, type EncodedWrite, encodeCreate, encodeWrite } from "./encodeWrites.ts";
import { DatabaseFaultError } from "./errors.ts";
import {
  type JobContent,
  jobChars,
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

/** The response to a job that was committed. */
type Committed = Exclude<WriterResponse, { error: WriterError }>;

interface PendingJob {
  resolve(response: Committed): void;
  reject(error: Error): void;
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
  readonly #worker: SupervisedWorker<WriterResponse[]>;
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
      onMessage: (responses) => this.#settle(responses),
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

  /** Rejects with 107 for a string that PostgreSQL could not store. */
  async write(group: Write[]): Promise<WriteResult[]> {
    const writes = group.map(encodeWrite);
    return this.#enqueue({ writes }).then(addCreated(writes));
  }

  /** Creates objects independently of each other. Resolves with the stored text or the error of each. */
  createEach(creates: readonly CreateWrite[]): Promise<(ObjectText | Error)[]> {
    const outcomes: (ObjectText | Error)[] = [];
    const tables = new Map<string, { values: (string | null)[]; indexes: number[] }>();
    for (const [index, create] of creates.entries()) {
      const { table, id, at, updatedAt, readAcl, writeAcl, secret, doc } = encodeCreate(create);
      const rows = tables.get(table) ?? { values: [], indexes: [] };
      tables.set(table, rows);
      rows.values.push(id, at, updatedAt, readAcl, writeAcl, secret, doc);
      rows.indexes.push(index);
      outcomes.push(doc);
    }
    const jobs = [...tables].map(([table, { values, indexes }]) =>
      this.#createRows({ table, values }, indexes, outcomes),
    );
    return Promise.all(jobs).then(() => outcomes);
  }

  /** Creates objects of a table, and stores the errors of those that were not created at their indexes. */
  #createRows(creates: EncodedCreates, indexes: number[], outcomes: (ObjectText | Error)[]): Promise<void> {
    return this.#enqueue({ creates }).then(
      ({ errors = [] }) => {
        for (const [row, error] of errors) outcomes[indexes[row] ?? 0] = this.#toError(error);
      },
      (error: Error) => {
        for (const index of indexes) outcomes[index] = error;
      },
    );
  }

  async execute(statements: Statement[]): Promise<void> {
    await this.#enqueue({ statements });
  }

  /** Resolves if the database can be written. */
  async probe(): Promise<void> {
    await this.#enqueue({ isProbe: true });
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

  #enqueue(content: JobContent): Promise<Committed> {
    if (this.#rejectionError) return Promise.reject(this.#rejectionError);
    if (this.#jobs.size >= MAX_QUEUED_JOBS || this.#queuedChars >= MAX_QUEUED_CHARS) {
      return Promise.reject(
        new ProtocolError(ErrorCode.TIMEOUT, "The write queue of the database is full, try again later", 503),
      );
    }
    const id = this.#nextId++;
    const job: WriterJob = { id, ...content };
    return new Promise((resolve, reject) => {
      const chars = jobChars(job);
      this.#jobs.set(id, { resolve, reject, chars, isSent: false });
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
    this.#worker.post(jobs);
    for (const { id } of jobs) {
      const job = this.#jobs.get(id);
      if (job) job.isSent = true;
    }
  }

  #settle(responses: WriterResponse[]): void {
    for (const response of responses) {
      const job = this.#removeJob(response.id);
      if ("error" in response) job?.reject(this.#toError(response.error));
      else {
        this.#worker.markHealthy();
        this.#options.onCommit();
        job?.resolve(response);
      }
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

/**
 * Adds the documents of creates to the results of a job: the thread does not send them back. Nothing else of the writes
 * is kept until then.
 */
function addCreated(writes: readonly EncodedWrite[]): (response: Committed) => WriteResult[] {
  const created = writes.map((write) => (write.kind === "create" ? write.doc : undefined));
  return ({ results }) => {
    for (const [index, after] of created.entries()) {
      if (after !== undefined) results[index] = { before: null, after };
    }
    return results;
  };
}

export function databaseUnavailableError(): ProtocolError {
  return new ProtocolError(
    ErrorCode.INTERNAL_SERVER_ERROR,
    "The database cannot be written, try again later",
    503,
  );
}

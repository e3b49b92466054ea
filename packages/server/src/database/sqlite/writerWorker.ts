import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { ProtocolError } from "@purse/protocol";
import { READY } from "@purse/workers";
import Database from "better-sqlite3";
import { CounterLimitError, UniqueConstraintError } from "../store.ts";
import { openDatabase } from "./connection.ts";
import { CREATE_COLUMNS, type EncodedCreates } from "./encodeWrites.ts";
import { getFault } from "./errors.ts";
import { createWriteExecutor } from "./executeWrite.ts";
import { assertPurseDatabase, checkIntegrity, withFileErrors } from "./fileChecks.ts";
import { migrate } from "./migrations.ts";
import type { WriterData } from "./writer.ts";
import type { WriterError, WriterJob, WriterResponse } from "./writerMessages.ts";

/** Limits of a transaction, in jobs and in ms, which bound the latency of its first job. */
const MAX_JOBS = 1_000;
const MAX_TRANSACTION_MS = 50;

/** Test write with the size of a larger document. */
const PROBE = "0".repeat(64 * 1024);

function run(port: MessagePort, { file, verifiesFile }: WriterData): void {
  const database = withFileErrors(file, () => {
    const opened = openDatabase(file, { readonly: false });
    assertPurseDatabase(opened, file);
    if (verifiesFile) checkIntegrity(opened, file);
    migrate(opened);
    return opened;
  });
  const { executeWrite, createRow } = createWriteExecutor(database, Date.now);
  const begin = database.prepare("BEGIN IMMEDIATE");
  const commit = database.prepare("COMMIT");
  const savepoint = database.prepare("SAVEPOINT job");
  const releaseJob = database.prepare("RELEASE job");
  const rollbackJob = database.prepare("ROLLBACK TO job");
  const probe = database.prepare(
    "INSERT OR REPLACE INTO purse_counts (scope, value, n, until) VALUES ('probe', ?, 0, 0)",
  );

  /** Creates objects independently of each other. Each is atomic by itself: SQLite rolls back the failed statement. */
  function createEach({ table, values }: EncodedCreates): [number, WriterError][] {
    const create = createRow(table);
    const errors: [number, WriterError][] = [];
    for (let at = 0; at < values.length; at += CREATE_COLUMNS) {
      try {
        create(values.slice(at, at + CREATE_COLUMNS));
      } catch (error) {
        // Some errors, such as a full disk, roll back the whole transaction.
        if (!database.inTransaction) throw error;
        errors.push([at / CREATE_COLUMNS, serializeWriterError(error)]);
      }
    }
    return errors;
  }

  function executeJob(job: WriterJob): WriterResponse {
    if ("creates" in job) return { id: job.id, results: [], errors: createEach(job.creates) };
    // A single write is atomic by itself: SQLite rolls back the failed statement.
    const needsSavepoint = "statements" in job || ("writes" in job && job.writes.length > 1);
    if (needsSavepoint) savepoint.run();
    try {
      if ("isProbe" in job) probe.run(PROBE);
      const results = "writes" in job ? job.writes.map(executeWrite) : [];
      if ("statements" in job)
        for (const { sql, parameters } of job.statements) database.prepare(sql).run(parameters);
      if (needsSavepoint) releaseJob.run();
      return { id: job.id, results };
    } catch (error) {
      // Some errors, such as a full disk, roll back the whole transaction.
      if (!database.inTransaction) throw error;
      if (needsSavepoint) {
        rollbackJob.run();
        releaseJob.run();
      }
      return { id: job.id, error: serializeWriterError(error) };
    }
  }

  port.on("message", (first: WriterJob[] | null) => {
    let jobs: WriterJob[] = [];
    let isClosing = false;
    const receive = (received: WriterJob[] | null) => {
      if (received === null) isClosing = true;
      else jobs = jobs.length === 0 ? received : jobs.concat(received);
    };
    receive(first);
    for (;;) {
      // Jobs that arrived during the last commit share the next one.
      while (!isClosing && jobs.length < MAX_JOBS) {
        const next: { message: WriterJob[] | null } | undefined = receiveMessageOnPort(port);
        if (!next) break;
        receive(next.message);
      }
      if (jobs.length === 0) break;
      const responses = commitBatch(jobs);
      jobs = jobs.slice(responses.length);
      port.postMessage(responses);
    }
    if (!isClosing) return;
    database.pragma("wal_checkpoint(TRUNCATE)");
    database.close();
    port.close();
  });
  port.postMessage(READY);

  /** Executes the first jobs, within the limits of a transaction, and commits them together. */
  function commitBatch(jobs: WriterJob[]): WriterResponse[] {
    const responses: WriterResponse[] = [];
    const started = performance.now();
    let hasBegun = false;
    let isCommitting = false;
    try {
      begin.run();
      hasBegun = true;
      for (const job of jobs) {
        responses.push(executeJob(job));
        if (responses.length >= MAX_JOBS || performance.now() - started > MAX_TRANSACTION_MS) break;
      }
      isCommitting = true;
      commit.run();
      return responses;
    } catch (error) {
      if (database.inTransaction) database.exec("ROLLBACK");
      const serialized = serializeWriterError(error);
      // The write-ahead log was written but not synced; the next start may still find it.
      if (isCommitting && error instanceof Database.SqliteError && error.code.startsWith("SQLITE_IOERR"))
        serialized.isOutcomeUnknown = true;
      // The job that aborted the transaction has no response yet; later ones have not started.
      const failedJobs = hasBegun ? jobs.slice(0, responses.length + (isCommitting ? 0 : 1)) : jobs;
      return failedJobs.map(({ id }) => ({ id, error: serialized }));
    }
  }
}

function serializeWriterError(error: unknown): WriterError {
  if (error instanceof UniqueConstraintError) {
    const { scope, value, owner, message } = error;
    return { message, uniqueConflict: { scope, value, owner } };
  }
  if (error instanceof CounterLimitError) return { message: error.message, counterLimit: error.scope };
  if (error instanceof ProtocolError) {
    const { message, code, status } = error;
    return { message, code, ...(status !== undefined && { status }) };
  }
  const fault = getFault(error);
  const message = error instanceof Error ? error.message : String(error);
  return { message, ...(fault && { fault }) };
}

if (parentPort && workerData && "verifiesFile" in workerData) run(parentPort, workerData);

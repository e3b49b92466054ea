import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { ProtocolError } from "@purse/protocol";
import { READY } from "@purse/workers";
import Database from "better-sqlite3";
import { ClaimTaken, LimitReached } from "../store.ts";
import { createApplier } from "./apply.ts";
import { openDatabase } from "./connection.ts";
import { faultOf } from "./errors.ts";
import { assertOurs, assertSound, inFile } from "./fileChecks.ts";
import { migrate } from "./layout.ts";
import type { WriterData } from "./writer.ts";
import {
  answerChars,
  type Packed,
  pack,
  unpack,
  type WriterAnswer,
  type WriterError,
  type WriterJob,
} from "./writerMessages.ts";

/** One transaction takes at most so many jobs, and begins no other one after so many ms: the first of them waits. */
const MAX_JOBS = 1_000;
const MAX_TRANSACTION_MS = 50;

/** As much as a write of some size needs room for. */
const PROBE = "0".repeat(64 * 1024);

function run(port: MessagePort, { file, checksFile }: WriterData): void {
  const database = inFile(file, () => {
    const opened = openDatabase(file, { readonly: false });
    assertOurs(opened, file);
    if (checksFile) assertSound(opened, file);
    migrate(opened);
    return opened;
  });
  const apply = createApplier(database, Date.now);
  const begin = database.prepare("BEGIN IMMEDIATE");
  const commit = database.prepare("COMMIT");
  const savepoint = database.prepare("SAVEPOINT job");
  const releaseJob = database.prepare("RELEASE job");
  const rollbackJob = database.prepare("ROLLBACK TO job");
  const probe = database.prepare(
    "INSERT OR REPLACE INTO purse_counts (scope, value, n, until) VALUES ('probe', ?, 0, 0)",
  );

  function carryOut(job: WriterJob): WriterAnswer {
    // A single step is atomic by itself: SQLite undoes the statement that fails.
    const needsSavepoint = "statements" in job || ("writes" in job && job.writes.length > 1);
    if (needsSavepoint) savepoint.run();
    try {
      if ("isProbe" in job) probe.run(PROBE);
      const results = "writes" in job ? job.writes.map(apply) : [];
      if ("statements" in job)
        for (const { sql, parameters } of job.statements) database.prepare(sql).run(parameters);
      if (needsSavepoint) releaseJob.run();
      return { id: job.id, results };
    } catch (error) {
      // Some errors, as that of a full disk, undo the whole transaction.
      if (!database.inTransaction) throw error;
      if (needsSavepoint) {
        rollbackJob.run();
        releaseJob.run();
      }
      return { id: job.id, error: describe(error) };
    }
  }

  port.on("message", (first: Packed<WriterJob> | null) => {
    let jobs: WriterJob[] = [];
    let isClosing = false;
    const take = (packed: Packed<WriterJob> | null) => {
      if (packed === null) isClosing = true;
      else jobs = jobs.length === 0 ? unpack(packed) : jobs.concat(unpack(packed));
    };
    take(first);
    for (;;) {
      // Whatever has come in while the last commit was on its way shares the next one.
      while (!isClosing && jobs.length < MAX_JOBS) {
        const next: { message: Packed<WriterJob> | null } | undefined = receiveMessageOnPort(port);
        if (!next) break;
        take(next.message);
      }
      if (jobs.length === 0) break;
      const answers = commitTogether(jobs);
      jobs = jobs.slice(answers.length);
      for (const packed of pack(answers, answerChars)) port.postMessage(packed);
    }
    if (!isClosing) return;
    database.pragma("wal_checkpoint(TRUNCATE)");
    database.close();
    port.close();
  });
  port.postMessage(READY);

  /** Carries out the first jobs, as many as are done in a while, in one transaction. */
  function commitTogether(jobs: WriterJob[]): WriterAnswer[] {
    const answers: WriterAnswer[] = [];
    const started = performance.now();
    let isBegun = false;
    let isCommitting = false;
    try {
      begin.run();
      isBegun = true;
      for (const job of jobs) {
        answers.push(carryOut(job));
        if (answers.length >= MAX_JOBS || performance.now() - started > MAX_TRANSACTION_MS) break;
      }
      isCommitting = true;
      commit.run();
      return answers;
    } catch (error) {
      if (database.inTransaction) database.exec("ROLLBACK");
      const described = describe(error);
      // A log that was written and could not be brought to the disk may be found by the next start.
      if (isCommitting && error instanceof Database.SqliteError && error.code.startsWith("SQLITE_IOERR"))
        described.isOutcomeUnknown = true;
      // The job that ended the transaction has no answer yet; those after it have not been begun.
      const undone = isBegun ? jobs.slice(0, answers.length + (isCommitting ? 0 : 1)) : jobs;
      return undone.map(({ id }) => ({ id, error: described }));
    }
  }
}

function describe(error: unknown): WriterError {
  if (error instanceof ClaimTaken) {
    const { scope, value, owner, message } = error;
    return { message, claim: { scope, value, owner } };
  }
  if (error instanceof LimitReached) return { message: error.message, limit: error.scope };
  if (error instanceof ProtocolError) {
    const { message, code, status } = error;
    return { message, code, ...(status !== undefined && { status }) };
  }
  const fault = faultOf(error);
  const message = error instanceof Error ? error.message : String(error);
  return { message, ...(fault && { fault }) };
}

if (parentPort && workerData && "checksFile" in workerData) run(parentPort, workerData);

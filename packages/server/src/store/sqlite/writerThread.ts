import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { ProtocolError } from "@purse/protocol";
import type { Statement } from "../sql/statement.ts";
import { ClaimTaken, LimitReached, type WriteResult } from "../store.ts";
import { createApplier } from "./apply.ts";
import { openDatabase } from "./connection.ts";
import type { EncodedWrite } from "./encode.ts";
import { migrate } from "./layout.ts";

/** Main → writer: groups of steps, or statements that change the layout. Sent as JSON text. */
export type WriterJob = { id: number; writes: EncodedWrite[] } | { id: number; statements: Statement[] };

/** Writer → main, for each job in order. Sent as JSON text. */
export type WriterAnswer =
  | { id: number; results: WriteResult[] }
  | {
      id: number;
      error: {
        message: string;
        code?: number;
        claim?: { scope: string; value: string; owner: string };
        /** The scope of a limit that is reached. */
        limit?: string;
      };
    };

/** One transaction takes at most so many jobs, so that the first of them does not wait for long. */
const MAX_JOBS = 1_000;

function run(port: MessagePort, file: string): void {
  const database = openDatabase(file, { readonly: false });
  migrate(database);
  const apply = createApplier(database, Date.now);
  const begin = database.prepare("BEGIN IMMEDIATE");
  const commit = database.prepare("COMMIT");
  const savepoint = database.prepare("SAVEPOINT job");
  const releaseJob = database.prepare("RELEASE job");
  const rollbackJob = database.prepare("ROLLBACK TO job");

  function carryOut(job: WriterJob): WriterAnswer {
    // A single step is atomic by itself: SQLite undoes the statement that fails.
    const needsSavepoint = !("writes" in job) || job.writes.length > 1;
    if (needsSavepoint) savepoint.run();
    try {
      const results = "writes" in job ? job.writes.map(apply) : [];
      if ("statements" in job)
        for (const { sql, parameters } of job.statements) database.prepare(sql).run(parameters);
      if (needsSavepoint) releaseJob.run();
      return { id: job.id, results };
    } catch (error) {
      if (needsSavepoint) {
        rollbackJob.run();
        releaseJob.run();
      }
      return { id: job.id, error: describe(error) };
    }
  }

  port.on("message", (first: string | null) => {
    let jobs: WriterJob[] = [];
    let closing = first === null;
    if (first !== null) jobs = JSON.parse(first);
    // Whatever has come in while the last commit was on its way shares the next one.
    while (!closing && jobs.length < MAX_JOBS) {
      const next: { message: string | null } | undefined = receiveMessageOnPort(port);
      if (!next) break;
      if (next.message === null) closing = true;
      else jobs = jobs.concat(JSON.parse(next.message));
    }
    if (jobs.length > 0) port.postMessage(JSON.stringify(commitTogether(jobs)));
    if (closing) {
      database.pragma("wal_checkpoint(TRUNCATE)");
      database.close();
      port.close();
    }
  });
  port.postMessage("[]");

  function commitTogether(jobs: WriterJob[]): WriterAnswer[] {
    try {
      begin.run();
      const answers = jobs.map(carryOut);
      commit.run();
      return answers;
    } catch (error) {
      if (database.inTransaction) database.exec("ROLLBACK");
      return jobs.map((job) => ({ id: job.id, error: describe(error) }));
    }
  }
}

function describe(error: unknown): Extract<WriterAnswer, { error: unknown }>["error"] {
  if (error instanceof ClaimTaken) {
    const { scope, value, owner, message } = error;
    return { message, claim: { scope, value, owner } };
  }
  if (error instanceof LimitReached) return { message: error.message, limit: error.scope };
  if (error instanceof ProtocolError) return { message: error.message, code: error.code };
  return { message: error instanceof Error ? error.message : String(error) };
}

if (parentPort) run(parentPort, workerData.file);

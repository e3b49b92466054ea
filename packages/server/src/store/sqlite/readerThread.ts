import { parentPort, workerData } from "node:worker_threads";
import { ProtocolError } from "@purse/protocol";
import { openDatabase, statementCache } from "./connection.ts";

export interface ReaderJob {
  id: number;
  sql: string;
  parameters: (string | number | null)[];
}

/** `text` is the first column of every row, joined by newlines (which JSON text never holds). */
export interface ReaderAnswer {
  id: number;
  text?: string;
  /** What went wrong; `code` where clients may be told of it. */
  error?: { message: string; code?: number };
  ms: number;
}

if (parentPort) {
  const port = parentPort;
  const prepare = statementCache(openDatabase(workerData.file, { readonly: true }));
  port.on("message", (job: ReaderJob) => {
    const started = performance.now();
    const answer: ReaderAnswer = { id: job.id, ms: 0 };
    try {
      answer.text = prepare(job.sql).pluck().all(job.parameters).join("\n");
    } catch (error) {
      answer.error = {
        message: error instanceof Error ? error.message : String(error),
        ...(error instanceof ProtocolError && { code: error.code }),
      };
    }
    answer.ms = performance.now() - started;
    port.postMessage(answer);
  });
}

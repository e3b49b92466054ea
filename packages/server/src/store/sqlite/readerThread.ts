import { parentPort, workerData } from "node:worker_threads";
import { ErrorCode, ProtocolError } from "@purse/protocol";
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
  error?: { message: string; code: number };
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
      const code = error instanceof ProtocolError ? error.code : ErrorCode.INTERNAL_SERVER_ERROR;
      answer.error = { message: error instanceof Error ? error.message : String(error), code };
    }
    answer.ms = performance.now() - started;
    port.postMessage(answer);
  });
}

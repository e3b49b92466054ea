import type { Statement } from "../sql/statement.ts";
import type { WriteResult } from "../store.ts";
import type { EncodedCreates, EncodedWrite } from "./encodeWrites.ts";
import type { DatabaseFault } from "./errors.ts";

/**
 * Main → writer: a transaction of writes, objects that are created independently of each other, statements that change
 * the layout, or a test write.
 */
export type WriterJob = { id: number } & JobContent;

export type JobContent =
  | { writes: EncodedWrite[] }
  | { creates: EncodedCreates }
  | { statements: Statement[] }
  | { isProbe: true };

export interface WriterError {
  message: string;
  code?: number;
  status?: number;
  uniqueConflict?: { scope: string; value: string; owner: string };
  /** The scope of a counter that has reached its limit. */
  counterLimit?: string;
  /** The failure of the database itself. */
  fault?: DatabaseFault;
  /** Whether it is unknown if the failed commit is on disk. */
  isOutcomeUnknown?: boolean;
}

/** Writer → main, for each job in order. `errors` are those of rows that were not created, by their index. */
export type WriterResponse =
  | { id: number; results: WriteResult[]; errors?: [index: number, error: WriterError][] }
  | { id: number; error: WriterError };

/** The number of characters from which on those of a value are no longer counted. */
const LARGE_CHARS = 64 * 1024;

/** Returns the approximate number of characters of a job. */
export function jobChars(job: WriterJob): number {
  if ("isProbe" in job) return 0;
  if ("statements" in job) {
    return job.statements.reduce((sum, { sql, parameters }) => sum + sql.length + valueChars(parameters), 0);
  }
  let chars = 0;
  if ("creates" in job) {
    for (const value of job.creates.values) chars += value?.length ?? 0;
    return chars;
  }
  for (const write of job.writes) {
    // The most frequent kinds, whose long texts are known.
    if (write.kind === "create" || write.kind === "restore") {
      chars += write.doc.length + (write.secret?.length ?? 0) + (write.readAcl?.length ?? 0) * 2;
    } else chars += valueChars(write);
  }
  return chars;
}

/** Returns the number of characters of all texts in a value; stops once it is large. */
function valueChars(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 8;
  let chars = 0;
  for (const inner of Object.values(value)) {
    chars += valueChars(inner);
    if (chars > LARGE_CHARS) break;
  }
  return chars;
}

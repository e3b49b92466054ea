import type { Statement } from "../sql/statement.ts";
import type { WriteResult } from "../store.ts";
import type { EncodedWrite } from "./encode.ts";
import type { DatabaseFault } from "./errors.ts";

/** Main → writer: transactions of writes, statements that change the layout, or a test write. */
export type WriterJob =
  | { id: number; writes: EncodedWrite[] }
  | { id: number; statements: Statement[] }
  | { id: number; isProbe: true };

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

/** Writer → main, for each job in order. */
export type WriterResponse = { id: number; results: WriteResult[] } | { id: number; error: WriterError };

/**
 * Small messages are sent together as JSON text, which is faster than structured cloning. Large messages are sent
 * individually without JSON, which would copy and escape their texts.
 */
export type PackedMessages<T> = string | { single: T };

/** Messages from this number of characters on are sent individually. */
const LARGE_CHARS = 64 * 1024;
/** Approximate maximum length of a JSON text. */
const MAX_PACK_CHARS = 1024 * 1024;

/** Packs messages, preserving their order. */
export function pack<T>(messages: readonly T[], charsOf: (message: T) => number): PackedMessages<T>[] {
  const packs: PackedMessages<T>[] = [];
  let open: T[] = [];
  let chars = 0;
  const close = () => {
    if (open.length > 0) packs.push(JSON.stringify(open));
    open = [];
    chars = 0;
  };
  for (const message of messages) {
    const size = charsOf(message);
    if (size > LARGE_CHARS) {
      close();
      packs.push({ single: message });
      continue;
    }
    if (chars + size > MAX_PACK_CHARS) close();
    open.push(message);
    chars += size;
  }
  close();
  return packs;
}

export function unpack<T>(packed: PackedMessages<T>): T[] {
  return typeof packed === "string" ? JSON.parse(packed) : [packed.single];
}

/** Returns the approximate number of characters of a job. */
export function jobChars(job: WriterJob): number {
  if ("isProbe" in job) return 0;
  if ("statements" in job) {
    return job.statements.reduce((sum, { sql, parameters }) => sum + sql.length + valueChars(parameters), 0);
  }
  let chars = 0;
  for (const write of job.writes) {
    // The most frequent kinds, whose long texts are known.
    if (write.kind === "create" || write.kind === "restore") {
      chars += write.doc.length + (write.secret?.length ?? 0) + (write.readAcl?.length ?? 0) * 2;
    } else chars += valueChars(write);
  }
  return chars;
}

export function responseChars(response: WriterResponse): number {
  if ("error" in response) return response.error.message.length;
  let chars = 0;
  for (const { before, after } of response.results) chars += (before?.length ?? 0) + (after?.length ?? 0);
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

import type { Statement } from "../sql/statement.ts";
import type { WriteResult } from "../store.ts";
import type { EncodedWrite } from "./encode.ts";
import type { Fault } from "./errors.ts";

/** Main → writer: groups of steps, statements that change the layout, or a probe whether anything can be written. */
export type WriterJob =
  | { id: number; writes: EncodedWrite[] }
  | { id: number; statements: Statement[] }
  | { id: number; isProbe: true };

export interface WriterError {
  message: string;
  code?: number;
  status?: number;
  claim?: { scope: string; value: string; owner: string };
  /** The scope of a limit that is reached. */
  limit?: string;
  /** What is wrong with the database itself. */
  fault?: Fault;
  /** The commit failed in a way that leaves open whether it is on disk. */
  isOutcomeUnknown?: boolean;
}

/** Writer → main, for each job in order. */
export type WriterAnswer = { id: number; results: WriteResult[] } | { id: number; error: WriterError };

/**
 * Many small messages travel as one JSON text, which is quicker than cloning them; a large one travels by itself, as
 * it is, because its texts would be copied and escaped once more.
 */
export type Packed<T> = string | { single: T };

/** From this size on, in characters, a message travels by itself. */
const LARGE_CHARS = 64 * 1024;
/** Characters of one JSON text, about. */
const MAX_PACK_CHARS = 1024 * 1024;

/** Packs messages in their order. */
export function pack<T>(messages: readonly T[], charsOf: (message: T) => number): Packed<T>[] {
  const packs: Packed<T>[] = [];
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

export function unpack<T>(packed: Packed<T>): T[] {
  return typeof packed === "string" ? JSON.parse(packed) : [packed.single];
}

/** About how many characters a job comes to. */
export function jobChars(job: WriterJob): number {
  if ("isProbe" in job) return 0;
  if ("statements" in job) {
    return job.statements.reduce((sum, { sql, parameters }) => sum + sql.length + valueChars(parameters), 0);
  }
  let chars = 0;
  for (const write of job.writes) {
    // Most writes are these: what is long in them is known.
    if (write.kind === "create" || write.kind === "restore") {
      chars += write.doc.length + (write.secret?.length ?? 0) + (write.readAcl?.length ?? 0) * 2;
    } else chars += valueChars(write);
  }
  return chars;
}

export function answerChars(answer: WriterAnswer): number {
  if ("error" in answer) return answer.error.message.length;
  let chars = 0;
  for (const { before, after } of answer.results) chars += (before?.length ?? 0) + (after?.length ?? 0);
  return chars;
}

/** The characters of all texts in a value; stops where there are enough to call it large. */
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

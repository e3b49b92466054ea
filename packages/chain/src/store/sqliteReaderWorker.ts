import { serveRequests } from "@purse/workers";
import Database from "better-sqlite3";
import { PreparedStatements } from "./sqliteFile.ts";

export interface SqliteReadRequest {
  /** Path of the index file. */
  path: string;
  text: string;
  parameters: (string | number | Uint8Array | null)[];
  /** Timeout of the statement, in ms. */
  timeoutMs: number;
  maxRows: number;
}

/** `rejected` is the reason why the statement was aborted. */
export type SqliteReadResponse = { rows: unknown[] } | { rejected: string };

const MIB = 1024 * 1024;
/** Max size of the rows of one read. */
const MAX_BYTES = 64 * MIB;
const BUSY_TIMEOUT_MS = 10_000;

/** Thrown within a statement to abort it. */
const DEADLINE_EXCEEDED = new Error("late");
let deadline = 0;

/** The statements of the indexes by path. */
const indexes = new Map<string, PreparedStatements>();

function open(path: string): PreparedStatements {
  const database = new Database(path, { readonly: true, timeout: BUSY_TIMEOUT_MS });
  // Several threads run: each keeps a small page cache, and reads through memory mapping anyway.
  database.pragma("cache_size = -8192");
  database.pragma("mmap_size = 268435456");
  // Native loops can be aborted only by a function: statements that may scan many rows call it for some of them (see
  // `deadlineCheck`).
  database.function("index_checkpoint", { directOnly: true }, () => {
    if (performance.now() > deadline) throw DEADLINE_EXCEEDED;
    return 1;
  });
  return new PreparedStatements(database);
}

function statementsOf(path: string): PreparedStatements {
  const known = indexes.get(path) ?? open(path);
  indexes.set(path, known);
  return known;
}

/** Size of the strings and byte arrays of a row. */
function sizeOf(row: unknown): number {
  let size = 0;
  for (const value of Object.values(Object(row))) {
    if (value instanceof Uint8Array || typeof value === "string") size += value.length;
  }
  return size;
}

function handle({ path, text, parameters, timeoutMs, maxRows }: SqliteReadRequest): SqliteReadResponse {
  deadline = performance.now() + timeoutMs;
  const rows: unknown[] = [];
  let bytes = 0;
  try {
    for (const row of statementsOf(path)
      .get(text)
      .iterate(...parameters)) {
      if (rows.length >= maxRows) return { rejected: `it has more than ${maxRows} rows` };
      if (rows.length % 1024 === 1023 && performance.now() > deadline) throw DEADLINE_EXCEEDED;
      bytes += sizeOf(row);
      if (bytes > MAX_BYTES) return { rejected: `it is larger than ${MAX_BYTES / MIB} MiB` };
      rows.push(row);
    }
    return { rows };
  } catch (error) {
    if (error !== DEADLINE_EXCEEDED) throw error;
    return { rejected: `it took longer than ${timeoutMs / 1000} s` };
  }
}

serveRequests<SqliteReadRequest, SqliteReadResponse>({ handle });

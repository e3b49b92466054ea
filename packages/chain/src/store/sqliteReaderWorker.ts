import { serveRequests } from "@purse/workers";
import Database, { type Statement } from "better-sqlite3";

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

const MAX_STATEMENTS = 500;
const MIB = 1024 * 1024;
/** Max size of the rows of one read. */
const MAX_BYTES = 64 * MIB;
const BUSY_TIMEOUT_MS = 10_000;

/** Thrown within a statement to abort it. */
const DEADLINE_EXCEEDED = new Error("late");
let deadline = 0;

interface OpenIndex {
  database: Database.Database;
  statements: Map<string, Statement<unknown[], unknown>>;
}

const indexes = new Map<string, OpenIndex>();

function open(path: string): OpenIndex {
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
  return { database, statements: new Map() };
}

function getIndex(path: string): OpenIndex {
  const cached = indexes.get(path);
  if (cached) return cached;
  const opened = open(path);
  indexes.set(path, opened);
  return opened;
}

function prepareStatement({ database, statements }: OpenIndex, text: string): Statement<unknown[], unknown> {
  const cached = statements.get(text);
  if (cached) return cached;
  if (statements.size >= MAX_STATEMENTS) statements.clear();
  const statement = database.prepare<unknown[], unknown>(text);
  statements.set(text, statement);
  return statement;
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
    for (const row of prepareStatement(getIndex(path), text).iterate(...parameters)) {
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

import { serveRequests } from "@purse/workers";
import Database, { type Statement } from "better-sqlite3";

export interface SqliteReadRequest {
  /** The file of the index. */
  path: string;
  text: string;
  parameters: (string | number | Uint8Array | null)[];
  /** How long the statement may run, in ms. */
  timeoutMs: number;
  maxRows: number;
}

/** `refused` says why the statement was ended. */
export type SqliteReadResponse = { rows: unknown[] } | { refused: string };

const KEPT_STATEMENTS = 500;
const MIB = 1024 * 1024;
/** Of all rows of one read. */
const MAX_BYTES = 64 * MIB;
const BUSY_TIMEOUT_MS = 10_000;

/** Thrown within a statement to end it. */
const LATE = new Error("late");
let deadline = 0;

interface OpenIndex {
  database: Database.Database;
  statements: Map<string, Statement<unknown[], unknown>>;
}

const indexes = new Map<string, OpenIndex>();

function open(path: string): OpenIndex {
  const database = new Database(path, { readonly: true, timeout: BUSY_TIMEOUT_MS });
  // Several of these threads run: each keeps few pages, and reads the file by memory mapping anyway.
  database.pragma("cache_size = -8192");
  database.pragma("mmap_size = 268435456");
  // Native loops end by nothing else: statements that may visit many rows call this for some of them (see `visits`).
  database.function("index_checkpoint", { directOnly: true }, () => {
    if (performance.now() > deadline) throw LATE;
    return 1;
  });
  return { database, statements: new Map() };
}

function indexAt(path: string): OpenIndex {
  const known = indexes.get(path);
  if (known) return known;
  const opened = open(path);
  indexes.set(path, opened);
  return opened;
}

function statementOf({ database, statements }: OpenIndex, text: string): Statement<unknown[], unknown> {
  const known = statements.get(text);
  if (known) return known;
  if (statements.size >= KEPT_STATEMENTS) statements.clear();
  const statement = database.prepare<unknown[], unknown>(text);
  statements.set(text, statement);
  return statement;
}

/** Of its texts and bytes. */
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
    for (const row of statementOf(indexAt(path), text).iterate(...parameters)) {
      if (rows.length >= maxRows) return { refused: `it has more than ${maxRows} rows` };
      if (rows.length % 1024 === 1023 && performance.now() > deadline) throw LATE;
      bytes += sizeOf(row);
      if (bytes > MAX_BYTES) return { refused: `it is larger than ${MAX_BYTES / MIB} MiB` };
      rows.push(row);
    }
    return { rows };
  } catch (error) {
    if (error !== LATE) throw error;
    return { refused: `it took longer than ${timeoutMs / 1000} s` };
  }
}

serveRequests<SqliteReadRequest, SqliteReadResponse>({ handle });

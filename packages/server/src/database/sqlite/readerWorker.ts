import { workerData } from "node:worker_threads";
import { ErrorCode, ProtocolError } from "@purse/protocol";
import { serveRequests } from "@purse/workers";
import { createPreparedStatementCache, openDatabase } from "./connection.ts";
import { serializeError } from "./errors.ts";
import { callsExpensiveFunctions } from "./expensiveStatements.ts";

export interface ReadRequest {
  /** `page` returns as many of the first rows as fit, but at least one. */
  kind: "rows" | "page" | "explain";
  sql: string;
  parameters: (string | number | null)[];
  /** Timeout of the statement, in ms. */
  timeoutMs: number;
  /** Maximum number of characters of the result; a larger result only returns its size. */
  maxChars: number;
  /** Whether to return `isScan` instead of running a statement that scans a whole table, unless it is small. */
  rejectsScan: boolean;
  /** The first item becomes non-zero when the request is aborted. */
  canceled?: Int32Array<SharedArrayBuffer>;
}

/**
 * - `rows`: the first column of every row, or the steps of a query plan as JSON
 * - `neededChars`: the approximate size of a result that exceeds the limit
 */
export type ReadResult =
  | { rows: string[]; ms: number }
  | { neededChars: number }
  | { isScan: true }
  | { isTimedOut: true };

/** Number of rows up to which reading a whole table counts as fast. */
const SMALL_TABLE_ROWS = 100;

/** Thrown by interrupt checks. */
const TIMED_OUT = new Error("late");
const CANCELED = new ProtocolError(ErrorCode.TIMEOUT, "The client disconnected");

interface RunningStatement {
  deadline: number;
  canceled: Int32Array<SharedArrayBuffer> | undefined;
  chars: number;
  maxChars: number;
}

const running: RunningStatement = { deadline: 0, canceled: undefined, chars: 0, maxChars: 0 };

function interruptCheck(): void {
  if (performance.now() > running.deadline) throw TIMED_OUT;
  if (running.canceled && Atomics.load(running.canceled, 0) !== 0) throw CANCELED;
}

function open(file: string) {
  // There are several reader threads, so each has a smaller page cache; the file is memory-mapped anyway.
  const database = openDatabase(file, { readonly: true, cacheKb: 8_192, interruptCheck });
  let expensiveFunctions: Promise<void> | undefined;
  database.function("purse_takes", { directOnly: true }, (bytes) => {
    running.chars += Number(bytes);
    return running.chars <= running.maxChars ? 1 : 0;
  });
  const prepare = createPreparedStatementCache(database);
  const scannedTables = new Map<string, string[]>();

  function isScan(request: ReadRequest): boolean {
    return tablesScannedBy(request).some(isLarge);
  }

  function tablesScannedBy({ sql, parameters }: ReadRequest): string[] {
    const cached = scannedTables.get(sql);
    if (cached) return cached;
    const steps = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(parameters).map(detailOf);
    const found = steps
      .filter((step) => /^SCAN (?!\(|CONSTANT)/.test(step) && !/ USING .*INDEX /.test(step))
      .map((step) => /^SCAN ([\w/]+)$/.exec(step)?.[1] ?? "");
    if (scannedTables.size >= 5_000) scannedTables.clear();
    scannedTables.set(sql, found);
    return found;
  }

  /** Whether a table has more rows than a scan may read. Virtual tables and aliases count as large. */
  function isLarge(table: string): boolean {
    const name = table.replaceAll('"', '""');
    try {
      return prepare(`SELECT 1 FROM "${name}" LIMIT 1 OFFSET ${SMALL_TABLE_ROWS}`).get() !== undefined;
    } catch {
      return true;
    }
  }

  function explain({ sql, parameters }: ReadRequest): string[] {
    // EXPLAIN does not notice changes of the layout by itself; reading the schema first does.
    database.prepare("SELECT count(*) FROM sqlite_schema").get();
    return database
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all(parameters)
      .map((step) => JSON.stringify(step));
  }

  /** Returns undefined if the rows exceed the size limit. */
  function readRows({ kind, sql, parameters, maxChars }: ReadRequest): string[] | undefined {
    const countsItself = sql.includes("purse_takes(");
    let found: string[] = [];
    for (const value of prepare(sql).pluck().iterate(parameters)) {
      if (!countsItself) running.chars += String(value).length;
      if (kind === "page" && found.length > 0 && running.chars > maxChars) return found;
      if (running.chars <= maxChars || kind === "page") found.push(String(value));
      else found = [];
    }
    return running.chars <= maxChars || kind === "page" ? found : undefined;
  }

  return function handle(request: ReadRequest): ReadResult | Promise<ReadResult> {
    if (!callsExpensiveFunctions(request.sql)) return run(request);
    // They take a megabyte, and most threads never need them.
    expensiveFunctions ??= import("./expensiveFunctions.ts").then(({ registerExpensiveFunctions }) =>
      registerExpensiveFunctions(database, interruptCheck),
    );
    return expensiveFunctions.then(() => run(request));
  };

  function run(request: ReadRequest): ReadResult {
    const started = performance.now();
    running.deadline = started + request.timeoutMs;
    running.canceled = request.canceled;
    running.chars = 0;
    running.maxChars = request.maxChars;
    try {
      if (request.rejectsScan && isScan(request)) return { isScan: true };
      const found = request.kind === "explain" ? explain(request) : readRows(request);
      if (!found) return { neededChars: running.chars };
      return { rows: found, ms: performance.now() - started };
    } catch (error) {
      if (error === TIMED_OUT) return { isTimedOut: true };
      throw error;
    }
  }
}

function detailOf(step: unknown): string {
  return typeof step === "object" && step !== null && "detail" in step ? String(step.detail) : "";
}

const { file }: { file?: string } = workerData ?? {};
if (file !== undefined) serveRequests<ReadRequest, ReadResult>({ handle: open(file), serializeError });

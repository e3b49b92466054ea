import { workerData } from "node:worker_threads";
import { ErrorCode, ProtocolError } from "@purse/protocol";
import { serveRequests } from "@purse/workers";
import { addCostlyFunctions, openDatabase, statementCache } from "./connection.ts";
import { serializeError } from "./errors.ts";

export interface ReadRequest {
  /** `page`: as many of the first rows as there is room for, at least one. */
  kind: "rows" | "page" | "explain";
  sql: string;
  parameters: (string | number | null)[];
  /** How long the statement may run, in ms. */
  timeoutMs: number;
  /** Characters that the answer may have; where it has more, it is only said how many. */
  maxChars: number;
  /** Answers `isScan` instead of running a statement that goes through a whole table. */
  refusesScan: boolean;
  /** The first item is not 0 once nobody waits for the answer any more. */
  cancelled?: Int32Array<SharedArrayBuffer>;
}

/**
 * - `rows`: the first column of every row, or the steps of an explanation as JSON
 * - `neededChars`: about how many characters the answer would have, which is more than it may
 */
export type ReadAnswer =
  | { rows: string[]; ms: number }
  | { neededChars: number }
  | { isScan: true }
  | { isLate: true };

/** Thrown by checkpoints. */
const LATE = new Error("late");
const CANCELLED = new ProtocolError(ErrorCode.TIMEOUT, "The client went away");

interface Running {
  deadline: number;
  cancelled: Int32Array<SharedArrayBuffer> | undefined;
  chars: number;
  maxChars: number;
}

const running: Running = { deadline: 0, cancelled: undefined, chars: 0, maxChars: 0 };

function checkpoint(): void {
  if (performance.now() > running.deadline) throw LATE;
  if (running.cancelled && Atomics.load(running.cancelled, 0) !== 0) throw CANCELLED;
}

function open(file: string) {
  // Several of these threads run: each keeps fewer pages, and reads the file by memory mapping anyway.
  const database = openDatabase(file, { readonly: true, cacheKb: 8_192, checkpoint });
  addCostlyFunctions(database, checkpoint);
  database.function("purse_takes", { directOnly: true }, (bytes) => {
    running.chars += Number(bytes);
    return running.chars <= running.maxChars ? 1 : 0;
  });
  const prepare = statementCache(database);
  const scans = new Map<string, boolean>();

  function isScan({ sql, parameters }: ReadRequest): boolean {
    const known = scans.get(sql);
    if (known !== undefined) return known;
    const steps = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(parameters).map(detailOf);
    const found = steps.some((step) => /^SCAN (?!\(|CONSTANT)/.test(step) && !/ USING .*INDEX /.test(step));
    if (scans.size >= 5_000) scans.clear();
    scans.set(sql, found);
    return found;
  }

  function explain({ sql, parameters }: ReadRequest): string[] {
    // An explanation does not notice by itself that the layout has changed: what is read before it does.
    database.prepare("SELECT count(*) FROM sqlite_schema").get();
    return database
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all(parameters)
      .map((step) => JSON.stringify(step));
  }

  /** Undefined where there is no room for all of them. */
  function rows({ kind, sql, parameters, maxChars }: ReadRequest): string[] | undefined {
    const isCounted = sql.includes("purse_takes(");
    let found: string[] = [];
    for (const value of prepare(sql).pluck().iterate(parameters)) {
      if (!isCounted) running.chars += String(value).length;
      if (kind === "page" && found.length > 0 && running.chars > maxChars) return found;
      if (running.chars <= maxChars || kind === "page") found.push(String(value));
      else found = [];
    }
    return running.chars <= maxChars || kind === "page" ? found : undefined;
  }

  return function handle(request: ReadRequest): ReadAnswer {
    const started = performance.now();
    running.deadline = started + request.timeoutMs;
    running.cancelled = request.cancelled;
    running.chars = 0;
    running.maxChars = request.maxChars;
    try {
      if (request.refusesScan && isScan(request)) return { isScan: true };
      const found = request.kind === "explain" ? explain(request) : rows(request);
      if (!found) return { neededChars: running.chars };
      return { rows: found, ms: performance.now() - started };
    } catch (error) {
      if (error === LATE) return { isLate: true };
      throw error;
    }
  };
}

function detailOf(step: unknown): string {
  return typeof step === "object" && step !== null && "detail" in step ? String(step.detail) : "";
}

const { file }: { file?: string } = workerData ?? {};
if (file !== undefined) serveRequests<ReadRequest, ReadAnswer>({ handle: open(file), serializeError });

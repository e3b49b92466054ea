import { Readable } from "node:stream";
import type { ClickHouseSettings } from "@clickhouse/client";
import type { SqlValue } from "../indexQuery.ts";
import { type ColumnValue, decodeRows } from "./rowBinary.ts";
import { encodeRows } from "./tabSeparated.ts";

/** Limits of one statement. */
interface StatementLimits {
  timeoutMs: number;
  maxBytes: number;
}

/** The response of a statement was larger than its limit. */
export class ResponseTooLargeError extends Error {
  override readonly name = "ResponseTooLargeError";
}

/** A connection to a ClickHouse server. */
export interface ClickHouse {
  /** Returns the rows of a query; the parameters are named `p0`, `p1`, …. */
  query(
    text: string,
    parameters?: readonly SqlValue[],
    limits?: Partial<StatementLimits>,
  ): Promise<Record<string, ColumnValue>[]>;
  /**
   * Inserts rows with the values of all columns, in several requests if there are many. `check` is awaited before each
   * of them. Resolves when they are stored durably.
   */
  insert(
    table: string,
    columns: readonly string[],
    rows: readonly (readonly SqlValue[])[],
    check: () => Promise<void>,
  ): Promise<void>;
  execute(statement: string): Promise<void>;
  close(): Promise<void>;
}

/** How SQL that also other databases execute has to be understood. */
const SETTINGS: ClickHouseSettings = {
  union_default_mode: "DISTINCT",
  join_use_nulls: 1,
  // Errors have a status of their own instead of being a part of the response.
  wait_end_of_query: 1,
  async_insert: 0,
  lightweight_deletes_sync: "2",
  // Copies in other orders are written at once.
  parallel_view_processing: 1,
};
/** Timeout of statements of the indexer, in ms. */
const DEFAULT_TIMEOUT_MS = 10 * 60_000;
/** Time for the server to report its timeout, in ms. */
const GRACE_MS = 5_000;
/** Rows per insert, which have to fit into memory as text. */
const INSERT_ROWS = 50_000;

/** Loads the client. It connects when it is first used, to the database that the URL names, which must exist. */
export async function openClickHouse(url: string, connections: number): Promise<ClickHouse> {
  const { createClient, ClickHouseLogLevel } = await import("@clickhouse/client");
  const client = createClient({
    url,
    max_open_connections: connections,
    request_timeout: DEFAULT_TIMEOUT_MS + GRACE_MS,
    application: "purse",
    clickhouse_settings: SETTINGS,
    log: { level: ClickHouseLogLevel.OFF },
  });
  return {
    async query(text, parameters = [], { timeoutMs = DEFAULT_TIMEOUT_MS, maxBytes = Infinity } = {}) {
      const abortSignal = AbortSignal.timeout(timeoutMs + GRACE_MS);
      const executed = client.exec({
        query: `${text} FORMAT RowBinaryWithNamesAndTypes`,
        query_params: Object.fromEntries(parameters.map((value, i) => [`p${i}`, value])),
        clickhouse_settings: { max_execution_time: timeoutMs / 1_000 },
        abort_signal: abortSignal,
      });
      const { stream } = await executed.catch((error: unknown) => {
        // The client's own error does not distinguish timeouts from others.
        throw abortSignal.aborted ? abortSignal.reason : error;
      });
      const chunks: Buffer[] = [];
      let size = 0;
      for await (const chunk of stream) {
        size += chunk.length;
        if (size > maxBytes) {
          stream.destroy();
          throw new ResponseTooLargeError(`the response is larger than ${maxBytes} bytes`);
        }
        chunks.push(chunk);
      }
      return decodeRows(Buffer.concat(chunks));
    },
    async insert(table, columns, rows, check) {
      for (let at = 0; at < rows.length; at += INSERT_ROWS) {
        const [first = "", ...others] = columns;
        const encoded = encodeRows(rows.slice(at, at + INSERT_ROWS));
        await check();
        await client.insert({
          table,
          columns: [first, ...others],
          format: "TabSeparated",
          values: Readable.from([encoded], { objectMode: false }),
        });
      }
    },
    async execute(statement) {
      await client.command({ query: statement });
    },
    close: () => client.close(),
  };
}

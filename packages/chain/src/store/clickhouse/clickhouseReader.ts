import { errorCodeOf, SOCKET_CODES } from "../connectionErrors.ts";
import { IndexReadError } from "../indexErrors.ts";
import { compileQuery, type IndexChange, type IndexQuery } from "../indexQuery.ts";
import type { IndexReader, PinnedReader, ReadKind, ReadLimits } from "../indexReader.ts";
import { ReadQuota } from "../readQuota.ts";
import { EVENT_TABLES } from "../schema.ts";
import { type ClickHouse, ResponseTooLargeError } from "./clickhouseConnection.ts";
import { CLICKHOUSE } from "./clickhouseDialect.ts";
import { type EventState, readEventState, visibleRows } from "./eventState.ts";
import { EVENT_COLUMNS, eventTableNames, selectAsCopied } from "./eventTables.ts";

const MAX_BYTES = 64 * 1024 * 1024;
/** Error code of a statement that exceeded `max_execution_time`. */
const TIMEOUT_EXCEEDED = "159";

/**
 * Reads the events of an index from ClickHouse. Each read sees exactly the rows of one state of the index, whatever is
 * written meanwhile. Without limits for the indexer.
 */
export class ClickHouseReader implements IndexReader {
  readonly dialect = CLICKHOUSE;
  readonly #clickHouse: ClickHouse;
  readonly #state: IndexReader;
  readonly #limits: ReadLimits | undefined;
  readonly #quota = new ReadQuota();

  /** `state` reads the SQL database of the index. */
  constructor(clickHouse: ClickHouse, state: IndexReader, limits?: ReadLimits) {
    this.#clickHouse = clickHouse;
    this.#state = state;
    this.#limits = limits;
  }

  async all<Row>(query: IndexQuery<Row>, kind?: ReadKind): Promise<Row[]> {
    return this.#read(await readEventState(this.#state), query, kind);
  }

  async change(): Promise<never> {
    throw new Error("events are changed by the writer only");
  }

  async pin(): Promise<PinnedReader> {
    const readState = () => readEventState(this.#state);
    const state = await readState();
    const reader: IndexReader = {
      dialect: this.dialect,
      all: (query, kind) => this.#read(state, query, kind),
      change: () => this.change(),
      close: async () => undefined,
    };
    return {
      reader,
      end: state?.end ?? 0,
      async isCurrent() {
        const found = await readState();
        return found?.fork === state?.fork && found?.id === state?.id;
      },
    };
  }

  close(): Promise<void> {
    return this.#clickHouse.close();
  }

  async #read<Row>(state: EventState | undefined, source: IndexChange, kind?: ReadKind): Promise<Row[]> {
    // Before the first block, there may be no tables.
    if (!state || state.end === 0) return [];
    if (!this.#limits) return this.#run<Row>(state, source);
    const { timeoutMs, maxRows } = this.#limits[kind ?? "lookup"];
    try {
      const rows = await this.#quota.run(() => this.#run<Row>(state, source, timeoutMs));
      if (rows.length > maxRows) throw new IndexReadError("timeout", `it has more than ${maxRows} rows`);
      return rows;
    } catch (error) {
      throw readError(error, timeoutMs);
    }
  }

  async #run<Row>(state: EventState, source: IndexChange, timeoutMs?: number): Promise<Row[]> {
    const { text, parameters } = compileQuery(this.dialect.compiler, source);
    const rows = await this.#clickHouse.query(
      `${withVisibleRows(state, text)} ${text}`,
      parameters,
      timeoutMs === undefined ? {} : { timeoutMs, maxBytes: MAX_BYTES },
    );
    // The query determines the type of its rows.
    return rows as Row[];
  }
}

/** Tables that contain the rows of a state, of those that a query names. */
function withVisibleRows(state: EventState, text: string): string {
  const condition = visibleRows(state);
  const words = new Set(text.match(/\w+/g));
  const tables = EVENT_TABLES.flatMap((table) =>
    [...eventTableNames(state.id, table)].flatMap(([name, stored]) => {
      if (!words.has(name)) return [];
      const rows =
        name === table || state.hasCopies
          ? `SELECT ${EVENT_COLUMNS.get(name)?.join(", ")} FROM ${stored} WHERE`
          : `${selectAsCopied(state.id, table, name.slice(table.length + 1))} AND`;
      return [`${name} AS (${rows} ${condition})`];
    }),
  );
  return tables.length > 0 ? `WITH ${tables.join(", ")}` : "";
}

function readError(error: unknown, timeoutMs: number): unknown {
  if (error instanceof IndexReadError || !(error instanceof Error)) return error;
  if (error instanceof ResponseTooLargeError) return new IndexReadError("timeout", error.message);
  const code = errorCodeOf(error);
  if (code === TIMEOUT_EXCEEDED || error.name === "TimeoutError" || error.name === "AbortError")
    return new IndexReadError("timeout", `it took longer than ${timeoutMs / 1_000} s`);
  if (SOCKET_CODES.has(code)) return new IndexReadError("unavailable", "ClickHouse cannot be reached");
  return error;
}

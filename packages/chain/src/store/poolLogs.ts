import { type Expression, expressionBuilder, type SqlBool, sql } from "kysely";
import { toBytes } from "../model/hexBytes.ts";
import { positionOf, type RawLog } from "../model/rows.ts";
import { query } from "./indexQuery.ts";
import type { IndexReader } from "./indexReader.ts";
import { rowsAt, selectColumnarRows, unionAll } from "./listQuery.ts";
import { indexedLog } from "./tableRows.ts";
import type { ChainTables, LogsTable } from "./tables.ts";

/** Events of one contract. */
export interface LogSource {
  address: string;
  topics: readonly string[];
  /** Only events with this second topic: those of one of the pools of the contract. */
  topic1?: string;
  /** Number of the latest logs to return; default 1. */
  candidates?: number;
}

const ofLogs = expressionBuilder<ChainTables, "logs">();

/** The logs of exchange pools in the index of one chain. */
export class PoolLogs {
  readonly #reader: IndexReader;

  constructor(reader: IndexReader) {
    this.#reader = reader;
  }

  /** The latest logs of each source before a block, latest first, in the order of the sources. */
  async latestBefore(sources: readonly LogSource[], block: number): Promise<RawLog[][]> {
    const before = positionOf(block, 0);
    const { dialect } = this.#reader;
    const pages = sources.flatMap((source, number) =>
      this.#conditions(source).map((condition): Expression<unknown> => {
        const page = query
          .selectFrom(dialect.ordered("logs", condition).as("logs"))
          .where("position", "<", before)
          .orderBy("position", "desc")
          .select(sql.lit(number).as("source"))
          .where(condition)
          .limit(source.candidates ?? 1);
        return dialect.isColumnar ? page.select("position") : page.selectAll();
      }),
    );
    const latest = sources.map((): RawLog[] => []);
    for (let start = 0; start < pages.length; start += MAX_BRANCHES) {
      const batch = pages.slice(start, start + MAX_BRANCHES);
      const found = sql<LogsTable & { source: number }>`SELECT * FROM (${unionAll(batch)}) AS found`;
      const rows = await this.#completeRows(await this.#reader.all(found));
      for (const { source, ...row } of rows) latest[source]?.push(indexedLog(row));
    }
    return latest.map((logs, i) =>
      logs.sort((a, b) => b.position - a.position).slice(0, sources[i]?.candidates ?? 1),
    );
  }

  /** The logs of a source in a range of positions, the end excluded, latest first. */
  async inRange(source: LogSource, from: number, to: number, limit: number): Promise<RawLog[]> {
    const { dialect } = this.#reader;
    if (dialect.isColumnar) {
      const wanted = this.#conditions(source).map((condition) =>
        ofLogs.and([condition, ofLogs("position", ">=", from), ofLogs("position", "<", to)]),
      );
      const page = selectColumnarRows<LogsTable>(dialect, "logs", wanted, { limit });
      const found = await this.#reader.all(page, "list");
      return found.map(indexedLog);
    }
    const branches = this.#conditions(source).map((condition) =>
      query
        .selectFrom("logs")
        .selectAll()
        .where(condition)
        .where("position", ">=", from)
        .where("position", "<", to)
        .where(dialect.deadlineCheck)
        .orderBy("position", "desc")
        .limit(limit),
    );
    const rows = await this.#reader.all(
      sql<LogsTable>`SELECT * FROM (${unionAll(branches)}) AS found ORDER BY position DESC LIMIT ${limit}`,
      "list",
    );
    return rows.map(indexedLog);
  }

  /** Reads the rows of positions, if only these have been found. */
  async #completeRows<Row extends Pick<LogsTable, "position">>(found: readonly Row[]): Promise<Row[]> {
    if (!this.#reader.dialect.isColumnar || found.length === 0) return [...found];
    const positions = found.map(({ position }) => position);
    const byPosition = await rowsAt(this.#reader, "logs", positions);
    return found.flatMap((row) => {
      const log = byPosition.get(row.position);
      return log ? [{ ...row, ...log }] : [];
    });
  }

  /** Conditions without overlap, each of which uses a partial index of logs that are not transfers. */
  #conditions({ address, topics, topic1 }: LogSource): Expression<SqlBool>[] {
    const { filterOnly } = this.#reader.dialect;
    const ofContract = ofLogs("address", "=", toBytes(address));
    const isOther = ofLogs("erc20", "=", ofLogs.lit(0));
    // Of the events of a contract with many pools, those of one pool are few.
    if (topic1 !== undefined) {
      const isWanted = ofLogs.or(topics.map((topic) => filterOnly("topic0", toBytes(topic))));
      return [ofLogs.and([ofContract, ofLogs("topic1", "=", toBytes(topic1)), isOther, isWanted])];
    }
    return topics.map((topic) => ofLogs.and([ofContract, ofLogs("topic0", "=", toBytes(topic)), isOther]));
  }
}

/** Queries of a union: SQLite allows 500. */
const MAX_BRANCHES = 100;

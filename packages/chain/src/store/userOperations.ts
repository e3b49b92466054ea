import { expressionBuilder, type SqlBool, sql } from "kysely";
import { USER_OPERATION_TOPIC } from "../decode/userOperations/userOperationLog.ts";
import { toBytes } from "../model/hexBytes.ts";
import type { RawLog } from "../model/rows.ts";
import type { IndexReader } from "./indexReader.ts";
import { type ListOptions, type ListResult, readList, selectColumnarRows } from "./listQuery.ts";
import type { ListTotals } from "./listTotals.ts";
import { padValues, wantedBytes } from "./padValues.ts";
import { indexedLog } from "./tableRows.ts";
import type { ChainTables } from "./tables.ts";
import { addressTopicBytes } from "./transferConditions.ts";

/** Which user operations to list; at least one property. */
export interface UserOperationSelection {
  sender?: string | undefined;
  paymaster?: string | undefined;
}

const ofLogs = expressionBuilder<ChainTables, "logs">();
const isOther = ofLogs("erc20", "=", ofLogs.lit(0));

/** Max logs about the user operations of a page. */
const MAX_LOGS = 200_000;

/** Logs in log order, by the hash of the user operation. */
function byUserOperation(rows: readonly ChainTables["logs"][]): Map<string, RawLog[]> {
  return Map.groupBy(rows.map(indexedLog), ({ topics }) => topics[1] ?? "");
}

/** The logs of user operations (ERC-4337) in the index of one chain. */
export class UserOperationStore {
  readonly #reader: IndexReader;
  readonly #totals: ListTotals;

  constructor(reader: IndexReader, totals: ListTotals) {
    this.#reader = reader;
    this.#totals = totals;
  }

  /** Lists user operations that any of the EntryPoint contracts logged. */
  async list(
    entryPoints: readonly string[],
    { sender, paymaster }: UserOperationSelection,
    window: ListOptions,
  ): Promise<ListResult<RawLog>> {
    const { filterOnly, literal, isColumnar } = this.#reader.dialect;
    // A sender has fewer user operations than a paymaster.
    const bySender = sender !== undefined && ofLogs("topic2", "=", addressTopicBytes(sender));
    const paidBy = paymaster === undefined ? undefined : addressTopicBytes(paymaster);
    // Only the copies in the order of paymasters have both columns in a columnar database.
    const isFilter = bySender && !isColumnar;
    const byPaymaster = paidBy && (isFilter ? filterOnly("topic3", paidBy) : ofLogs("topic3", "=", paidBy));
    const operations = ofLogs.and([
      // The database indexes of user operations have this condition, and the contract as their last column.
      sql<SqlBool>`topic0 = ${literal(USER_OPERATION_TOPIC)}`,
      ofLogs.or(entryPoints.map((address) => filterOnly("address", toBytes(address)))),
      // The copies in a columnar database are in this order.
      ...(isColumnar ? [isOther] : []),
      ...(bySender ? [bySender] : []),
      ...(byPaymaster ? [byPaymaster] : []),
    ]);
    const { rows, total } = await readList(this.#reader, this.#totals, "logs", [operations], window);
    return { rows: rows.map(indexedLog), total };
  }

  /** All logs of the EntryPoint contracts about user operations, in log order, by the hash of the user operation. */
  logsOf(entryPoints: readonly string[], hashes: readonly string[]): Promise<Map<string, RawLog[]>> {
    return this.#logsAbout(entryPoints, hashes);
  }

  /** As `logsOf`, without the logs that `list` returns. */
  effectsOf(entryPoints: readonly string[], hashes: readonly string[]): Promise<Map<string, RawLog[]>> {
    return this.#logsAbout(entryPoints, hashes, sql`AND logs.topic0 <> ${toBytes(USER_OPERATION_TOPIC)}`);
  }

  async #logsAbout(
    entryPoints: readonly string[],
    hashes: readonly string[],
    condition = sql``,
  ): Promise<Map<string, RawLog[]>> {
    if (hashes.length === 0 || entryPoints.length === 0) return new Map();
    const { dialect } = this.#reader;
    if (dialect.isColumnar) return this.#columnarLogsOf(entryPoints, hashes);
    const rows = await this.#reader.all(
      sql<ChainTables["logs"]>`SELECT logs.* FROM ${wantedBytes(dialect, hashes)} CROSS JOIN logs
        WHERE logs.address IN (${sql.join(entryPoints.map(toBytes))}) AND logs.topic1 = wanted.bytes
          AND ${isOther} ${condition} AND ${dialect.deadlineCheck}`,
      "list",
    );
    rows.sort((a, b) => a.position - b.position);
    return byUserOperation(rows);
  }

  async #columnarLogsOf(
    entryPoints: readonly string[],
    hashes: readonly string[],
  ): Promise<Map<string, RawLog[]>> {
    const isWanted = ofLogs.and([
      ofLogs("address", "in", entryPoints.map(toBytes)),
      ofLogs("topic1", "in", padValues(hashes.map(toBytes))),
      isOther,
    ]);
    const options = { ascending: true, limit: MAX_LOGS };
    return byUserOperation(
      await this.#reader.all(
        selectColumnarRows<ChainTables["logs"]>(this.#reader.dialect, "logs", [isWanted], options),
        "list",
      ),
    );
  }
}

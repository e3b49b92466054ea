import { expressionBuilder, type SqlBool, sql } from "kysely";
import { APPROVAL_FOR_ALL_TOPIC, APPROVAL_TOPIC } from "../../model/topics.ts";
import type { Dialect } from "../indexReader.ts";
import type { ChainTables } from "../tables.ts";
import { ClickHouseCompiler } from "./clickhouseCompiler.ts";
import { findOrder } from "./eventOrders.ts";

const ofLogs = expressionBuilder<ChainTables, "logs">();

const literal = (hex: string) => sql.raw<Uint8Array>(`unhex('${hex.slice(2)}')`);

function onlyInSql(): never {
  throw new Error("ClickHouse contains only events");
}

const compiler = new ClickHouseCompiler();

/** For the events of an index. What concerns other tables is not supported. */
export const CLICKHOUSE: Dialect = {
  compiler,
  isColumnar: true,
  ordered: (table, condition) => sql.table(findOrder(compiler, table, condition)),
  bytes: sql`String`,
  integer: sql`Int64`,
  deadlineCheck: sql`true`,
  needsBranchLimits: true,
  textOrder: sql``,
  literal,
  hex: onlyInSql,
  hexPosition: onlyInSql,
  joined: onlyInSql,
  filterOnly: (column, value) => sql`${sql.ref(column)} = ${value}`,
  rowLock: sql``,
  attributes: { source: sql``, type: sql``, value: sql`` },
  isApproval: ofLogs.and([
    ofLogs("erc20", "=", ofLogs.lit(0)),
    sql<SqlBool>`topic0 IN (${literal(APPROVAL_TOPIC)}, ${literal(APPROVAL_FOR_ALL_TOPIC)})`,
  ]),
  matchesTerms: onlyInSql,
};

import { DefaultQueryCompiler, sql } from "kysely";
import { toHex } from "../../model/hexBytes.ts";
import { APPROVAL_FOR_ALL_TOPIC, APPROVAL_TOPIC } from "../../model/topics.ts";
import type { Dialect } from "../indexReader.ts";

/** Compiles queries for ClickHouse: parameters are named `p0`, `p1`, … and have types. */
class ClickHouseCompiler extends DefaultQueryCompiler {
  protected override appendValue(value: unknown): void {
    if (value === null) {
      this.append("NULL");
      return;
    }
    const name = `p${this.numParameters}`;
    if (value instanceof Uint8Array) {
      this.addParameter(toHex(value).slice(2));
      this.append(`unhex({${name}:String})`);
    } else {
      this.addParameter(value);
      this.append(typeof value === "number" ? `{${name}:Int64}` : `{${name}:String}`);
    }
  }
}

const literal = (hex: string) => sql.raw<Uint8Array>(`unhex('${hex.slice(2)}')`);

function onlyInSql(): never {
  throw new Error("ClickHouse contains only events");
}

/** For the events of an index. What concerns other tables is not supported. */
export const CLICKHOUSE: Dialect = {
  compiler: new ClickHouseCompiler(),
  isColumnar: true,
  bytes: sql`String`,
  integer: sql`Int64`,
  deadlineCheck: sql`true`,
  needsBranchLimits: true,
  textOrder: sql``,
  literal,
  filterOnly: (column, value) => sql`${sql.ref(column)} = ${value}`,
  rowLock: sql``,
  attributes: { source: sql``, type: sql``, value: sql`` },
  isApproval: sql`topic0 IN (${literal(APPROVAL_TOPIC)}, ${literal(APPROVAL_FOR_ALL_TOPIC)})`,
  matchesTerms: onlyInSql,
};

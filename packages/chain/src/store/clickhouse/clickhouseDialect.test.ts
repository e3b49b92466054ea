import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { compileQuery, query } from "../indexQuery.ts";
import { selectRows } from "../listQuery.ts";
import { erc20WalletConditions } from "../transferConditions.ts";
import { CLICKHOUSE } from "./clickhouseDialect.ts";

const WALLET = `0x${"a1".repeat(20)}`;

describe("the compiler for ClickHouse", () => {
  it("gives parameters names and types, and passes bytes as hex", () => {
    const source = query
      .selectFrom("logs")
      .select("position")
      .where("address", "=", Uint8Array.from([0xab, 0x00]))
      .where("position", "<", 7)
      .where(sql`topic0`, "is", null)
      .limit(3);
    expect(compileQuery(CLICKHOUSE.compiler, source)).toEqual({
      text: `select "position" from "logs" where "address" = unhex({p0:String}) and "position" < {p1:Int64} and topic0 is null limit {p2:Int64}`,
      parameters: ["ab00", 7, 3],
    });
  });

  it("writes null as such, so that the numbers of parameters stay those of their values", () => {
    const source = sql`SELECT ${null}, ${"text"}`;
    expect(compileQuery(CLICKHOUSE.compiler, source)).toEqual({
      text: "SELECT NULL, {p0:String}",
      parameters: ["text"],
    });
  });

  it("finds rows by the set of their positions, which it reads from a copy in the order of the list", () => {
    const [from] = erc20WalletConditions(WALLET);
    if (!from) throw new Error("there is no condition");
    const { text } = compileQuery(CLICKHOUSE.compiler, selectRows(CLICKHOUSE, "logs", from, { limit: 5 }));
    expect(text).toMatch(/^SELECT \* FROM "logs" WHERE \(position\) IN \(/);
    expect(text).toContain('SELECT position FROM "logs_by_topic1" WHERE');
    expect(text).not.toContain("JOIN");
  });
});

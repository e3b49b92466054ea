import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { compileQuery, query } from "../indexQuery.ts";
import { selectRows } from "../listQuery.ts";
import { EVENT_TABLES } from "../schema.ts";
import { erc20WalletConditions } from "../transferConditions.ts";
import { CLICKHOUSE } from "./clickhouseDialect.ts";
import { EVENT_LAYOUTS, eventTableStatements } from "./eventTables.ts";

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

  it("finds rows by the set of their positions", () => {
    const [from] = erc20WalletConditions(WALLET);
    if (!from) throw new Error("there is no condition");
    const { text } = compileQuery(CLICKHOUSE.compiler, selectRows(CLICKHOUSE, "logs", from, { limit: 5 }));
    expect(text).toMatch(/^SELECT \* FROM "logs" WHERE \(position\) IN \(/);
    expect(text).not.toContain("JOIN");
  });
});

describe("the layout of the tables in ClickHouse", () => {
  it("has all columns of the fork and of the order in each copy", () => {
    for (const statement of eventTableStatements("0a1b")) {
      expect(statement).toContain("fork UInt64");
      for (const [, columns = "", order = ""] of statement.matchAll(
        /PROJECTION \w+ \(SELECT (.+?) ORDER BY (.+?)\)/g,
      )) {
        const names = columns.split(", ");
        expect(names).toContain("fork");
        if (columns.startsWith("*")) continue;
        for (const column of order.split(", ")) expect(names).toContain(column);
      }
    }
  });

  it("names the tables of each index by its id", () => {
    expect(eventTableStatements("0a1b").map((each) => /EXISTS (\w+)/.exec(each)?.[1])).toEqual(
      EVENT_TABLES.map((table) => `purse_0a1b_${table}`),
    );
  });

  it("copies the columns of positions into every order", () => {
    for (const table of EVENT_TABLES)
      for (const { columns } of Object.values(EVENT_LAYOUTS[table].orders))
        if (!columns.startsWith("*"))
          for (const column of EVENT_LAYOUTS[table].order.split(", "))
            expect(columns.split(", ")).toContain(column);
  });
});

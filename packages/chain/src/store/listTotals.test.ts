import { type SqlBool, sql } from "kysely";
import { expect, it } from "vitest";
import { toBytes } from "../model/hexBytes.ts";
import { compileQuery, type IndexQuery } from "./indexQuery.ts";
import { type IndexReader, UNBOUNDED_SQLITE } from "./indexReader.ts";
import { ListTotals } from "./listTotals.ts";

const BLOCK = { number: 9, hash: toBytes(`0x${"9".repeat(64)}`), fact: null, value: null };

it("countedList() counts a list once for concurrent requests", async () => {
  let counted = 0;
  const reader: IndexReader = {
    dialect: UNBOUNDED_SQLITE,
    async all<Row>(query: IndexQuery<Row>) {
      const isCount = compileQuery(UNBOUNDED_SQLITE.compiler, query).text.includes("count(*)");
      if (isCount) counted += 1;
      const rows: unknown[] = [isCount ? { n: 2_000 } : BLOCK];
      return rows as Row[];
    },
    change: async () => 0,
    close: async () => undefined,
  };
  const totals = new ListTotals(reader);
  const count = () => totals.countedList("logs", [sql<SqlBool>`erc20 = 0`], undefined, true);
  const lists = await Promise.all([count(), count(), count()]);
  expect(lists.map((list) => list?.total)).toEqual([2_000, 2_000, 2_000]);
  expect(counted).toBe(1);
});

import { expect, it } from "vitest";
import { CLICKHOUSE } from "./clickhouse/clickhouseDialect.ts";
import { compileQuery, type IndexQuery } from "./indexQuery.ts";
import type { IndexReader } from "./indexReader.ts";
import { ListTotals } from "./listTotals.ts";
import { UserOperationStore } from "./userOperations.ts";

const [ENTRY_POINT, SENDER, PAYMASTER] = ["ee", "a1", "b2"].map((byte) => `0x${byte.repeat(20)}`);

it.each([
  ["a sender", { sender: SENDER }, "logs_by_topic2"],
  ["a paymaster", { paymaster: PAYMASTER }, "logs_by_topic3"],
  ["both", { sender: SENDER, paymaster: PAYMASTER }, "logs_by_topic3"],
])("lists user operations of %s from a copy in a columnar database", async (_, selection, copy) => {
  const texts: string[] = [];
  const reader: IndexReader = {
    dialect: CLICKHOUSE,
    async all<Row>(source: IndexQuery<Row>): Promise<Row[]> {
      texts.push(compileQuery(CLICKHOUSE.compiler, source).text);
      return [];
    },
    change: async () => 0,
    close: async () => undefined,
  };
  const store = new UserOperationStore(reader, new ListTotals(reader));
  await store.list([ENTRY_POINT ?? ""], selection, { offset: 0, limit: 5 });
  expect(texts).toHaveLength(1);
  expect(texts[0]).toContain(`SELECT position FROM "${copy}" WHERE`);
});

import { expect, it } from "vitest";
import { EVENT_TABLES } from "../schema.ts";
import {
  EVENT_LAYOUTS,
  eventTableName,
  eventTableNames,
  eventTableStatements,
  removeTableStatements,
} from "./eventTables.ts";

const ID = "0a1b";
const created = eventTableStatements(ID).map((each) => /EXISTS (\w+)/.exec(each)?.[1]);

it("creates each table with its copies, and a view that fills each copy", () => {
  for (const table of EVENT_TABLES) {
    expect(created).toContain(eventTableName(ID, table));
    for (const name of eventTableNames(ID, table).values()) expect(created).toContain(name);
  }
  const copies = EVENT_TABLES.flatMap((table) => Object.keys(EVENT_LAYOUTS[table].orders));
  expect(created).toHaveLength(EVENT_TABLES.length + 2 * copies.length);
  expect(created[0]).toBe("purse_0a1b_transactions");
});

it("removes everything that it creates, the views before the tables that they read", () => {
  const removed = removeTableStatements(ID).map((each) => /EXISTS (\w+)/.exec(each)?.[1] ?? "");
  expect(removed.toSorted()).toEqual(created.toSorted());
  expect(removed.indexOf("purse_0a1b_logs_to_by_topic1")).toBeLessThan(removed.indexOf("purse_0a1b_logs"));
});

it("has the columns of the position and of the order in each copy", () => {
  for (const table of EVENT_TABLES)
    for (const { columns, by } of Object.values(EVENT_LAYOUTS[table].orders)) {
      for (const column of [...EVENT_LAYOUTS[table].order, ...by]) expect(columns).toContain(column);
      const position = by.indexOf("position");
      expect(by.slice(position)).toEqual(EVENT_LAYOUTS[table].order);
    }
});

it("copies no rows without a value in the first column of the order", () => {
  const statements = eventTableStatements(ID);
  const view = statements.find((each) => each.includes("purse_0a1b_logs_to_by_topic3 "));
  expect(view).toContain("assumeNotNull(source.topic3) AS topic3, source.fork AS fork");
  expect(view).toMatch(/FROM purse_0a1b_logs AS source WHERE source\.topic3 IS NOT NULL$/);
  const table = statements.find((each) => each.includes("EXISTS purse_0a1b_logs_by_topic3 "));
  expect(table).toContain("topic3 String CODEC");
  expect(table).toContain("topic2 Nullable(String) CODEC");
});

import { rm } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createTempFolder } from "../../../test/indexDatabase.ts";
import { query, type SqlValue } from "../indexQuery.ts";
import { type IndexReader, READ_LIMITS } from "../indexReader.ts";
import { openReader } from "../openReader.ts";
import { createSqliteWriter } from "../sqliteIndexWriter.ts";
import { type ClickHouse, ResponseTooLargeError } from "./clickhouseConnection.ts";
import { ClickHouseReader } from "./clickhouseReader.ts";
import { EVENTS_FACT, type EventState, newEventState } from "./eventState.ts";

let folder: string;
let state: IndexReader;
let sent: { text: string; parameters: readonly SqlValue[] }[];

beforeEach(async () => {
  folder = await createTempFolder();
  state = await openReader({ kind: "sqlite", path: join(folder, "index.sqlite") });
  sent = [];
});
afterEach(async () => {
  await state.close();
  await rm(folder, { recursive: true, force: true });
});

async function save(saved: EventState): Promise<void> {
  const writer = createSqliteWriter(join(folder, "index.sqlite"));
  await writer.saveProperty(EVENTS_FACT, JSON.stringify(saved));
  await writer.close();
}

/** A server that returns a row, or fails. */
function clickHouse(failure?: Error): ClickHouse {
  return {
    async query(text, parameters = []) {
      if (failure) throw failure;
      sent.push({ text, parameters });
      return [{ position: 1 }];
    },
    insert: async () => undefined,
    execute: async () => undefined,
    close: async () => undefined,
  };
}

const positions = query.selectFrom("logs").select("position").where("position", "<", 9);

it("reads only rows that belong to the saved state", async () => {
  await save({ ...newEventState(), id: "0a1b", fork: 7, end: 50, removed: [{ fork: 6, from: 40, at: 0 }] });
  expect(await new ClickHouseReader(clickHouse(), state).all(positions)).toEqual([{ position: 1 }]);
  const [{ text, parameters } = { text: "", parameters: [] }] = sent;
  expect(text).toContain(
    "FROM purse_0a1b_logs WHERE position < 50 AND fork <= 7 AND (fork >= 6 OR position < 40))",
  );
  expect(text.endsWith(`select "position" from "logs" where "position" < {p0:Int64}`)).toBe(true);
  expect(parameters).toEqual([9]);
});

it("reads the rows of a copy from its table if an earlier version has created the index without copies", async () => {
  const { hasCopies: _, ...earlier } = { ...newEventState(), id: "0a1b", fork: 7, end: 50 };
  await save(earlier);
  const topics = sql`SELECT position, topic3 FROM logs_by_topic3 WHERE topic3 = ${new Uint8Array([1])}`;
  await new ClickHouseReader(clickHouse(), state).all(topics);
  expect(sent[0]?.text).toContain("assumeNotNull(source.topic3) AS topic3");
  expect(sent[0]?.text).toContain(
    "FROM purse_0a1b_logs AS source WHERE source.topic3 IS NOT NULL AND position < 50 AND fork <= 7)",
  );
});

it("names only the tables of the query", async () => {
  await save({ ...newEventState(), id: "0a1b", end: 50 });
  const reader = new ClickHouseReader(clickHouse(), state);
  await reader.all(sql`SELECT position FROM logs_by_topic1 WHERE topic1 = ${"text"}`);
  const condition = "WHERE position < 50 AND fork <= 0";
  expect(sent[0]?.text).toBe(
    `WITH logs_by_topic1 AS (SELECT position, address, erc20, topic0, topic1, amount FROM purse_0a1b_logs_by_topic1 ${condition}) SELECT position FROM logs_by_topic1 WHERE topic1 = {p0:String}`,
  );
});

it("has no rows before the first state, without asking the server", async () => {
  expect(await new ClickHouseReader(clickHouse(), state).all(positions)).toEqual([]);
  expect(sent).toEqual([]);
});

it("a pinned reader keeps its state, and knows when blocks of it were removed", async () => {
  const first = { ...newEventState(), fork: 1, end: 50 };
  await save(first);
  const pinned = await new ClickHouseReader(clickHouse(), state).pin();
  await save({ ...first, end: 60 });
  await pinned.reader.all(positions);
  expect(sent.at(-1)?.text).toContain("position < 50");
  expect([pinned.end, await pinned.isCurrent()]).toEqual([50, true]);
  await save({ ...first, fork: 2, end: 40 });
  expect(await pinned.isCurrent()).toBe(false);
});

it.each([
  ["timeout", Object.assign(new Error("Timeout exceeded"), { code: "159" })],
  ["timeout", new ResponseTooLargeError("the response is larger than 1 byte")],
  ["timeout", new DOMException("late", "TimeoutError")],
  ["unavailable", Object.assign(new Error("connect"), { code: "ECONNREFUSED" })],
  ["unavailable", Object.assign(new Error("getaddrinfo"), { code: "EAI_AGAIN" })],
])("reports %s to requests", async (reason, failure) => {
  await save({ ...newEventState(), end: 50 });
  const reader = new ClickHouseReader(clickHouse(failure), state, READ_LIMITS);
  await expect(reader.all(positions, "list")).rejects.toMatchObject({ name: "IndexReadError", reason });
});

it("passes on other errors, and those of the indexer's reads", async () => {
  await save({ ...newEventState(), end: 50 });
  const failure = Object.assign(new Error("Unknown identifier"), { code: "47" });
  const reader = new ClickHouseReader(clickHouse(failure), state, READ_LIMITS);
  await expect(reader.all(positions)).rejects.toBe(failure);
  const refused = Object.assign(new Error("connect"), { code: "ECONNREFUSED" });
  await expect(new ClickHouseReader(clickHouse(refused), state).all(positions)).rejects.toBe(refused);
});

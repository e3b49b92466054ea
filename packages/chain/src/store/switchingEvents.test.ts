import { rm } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createTempFolder } from "../../test/indexDatabase.ts";
import type { ClickHouse } from "./clickhouse/clickhouseConnection.ts";
import { ClickHouseReader } from "./clickhouse/clickhouseReader.ts";
import { EVENTS_FACT, newEventState } from "./clickhouse/eventState.ts";
import { type EventStorage, eventDefinitionIn } from "./eventStorage.ts";
import { IndexReadError, IndexSwitchedError } from "./indexErrors.ts";
import type { IndexLocation } from "./indexLocation.ts";
import { query } from "./indexQuery.ts";
import type { IndexReader } from "./indexReader.ts";
import { openReader } from "./openReader.ts";
import { createSqliteWriter } from "./sqliteIndexWriter.ts";
import { SwitchingEvents } from "./switchingEvents.ts";
import { DEFINITION_FACT } from "./upgradeProgress.ts";

/** A server of ClickHouse that finds one row. */
const CLICKHOUSE: ClickHouse = {
  query: async () => [{ position: 1 }],
  insert: async () => undefined,
  execute: async () => undefined,
  close: async () => undefined,
};
const LOGS = query.selectFrom("logs").select("position");

let folder: string;
let location: IndexLocation & { kind: "sqlite" };
let state: IndexReader;
beforeEach(async () => {
  folder = await createTempFolder();
  location = { kind: "sqlite", path: join(folder, "index.sqlite") };
  state = await openReader(location);
});
afterEach(async () => {
  await state.close();
  await rm(folder, { recursive: true, force: true });
});

/** Lets an index with its events in a storage take the place of the one that is read. */
async function switchTo(storage: EventStorage): Promise<void> {
  await state.change(query.deleteFrom("facts"));
  const writer = createSqliteWriter(location.path);
  await writer.saveProperty(DEFINITION_FACT, JSON.stringify({ layout: 7, ...eventDefinitionIn(storage) }));
  if (storage === "clickhouse")
    await writer.saveProperty(EVENTS_FACT, JSON.stringify({ ...newEventState(), end: 50 }));
  await writer.close();
}

const openEvents = (clickHouseUrl?: string) =>
  new SwitchingEvents(
    state,
    clickHouseUrl === undefined ? undefined : new ClickHouseReader(CLICKHOUSE, state),
    clickHouseUrl === undefined ? location : { ...location, clickHouseUrl },
  );

it("finds nothing in an index that was not begun, wherever its events will be", async () => {
  expect(await openEvents().all(LOGS)).toEqual([]);
  const events = openEvents("http://clickhouse");
  expect(events.dialect.isColumnar).toBe(true);
  expect(await events.all(LOGS)).toEqual([]);
});

it("reads events where they are, and refuses what it read of an index that another one has replaced", async () => {
  const events = openEvents("http://clickhouse");
  await switchTo("sql");
  await expect(events.all(LOGS)).rejects.toThrow(IndexSwitchedError);
  expect(events.dialect.isColumnar).toBe(false);
  expect(await events.all(LOGS)).toEqual([]);
  await switchTo("clickhouse");
  await expect(events.all(LOGS)).rejects.toThrow(IndexSwitchedError);
  expect(events.dialect.isColumnar).toBe(true);
  expect(await events.all(LOGS)).toEqual([{ position: 1 }]);
  expect(await (await events.pin()).isCurrent()).toBe(true);
  await switchTo("sql");
  await expect(events.pin()).rejects.toThrow(IndexSwitchedError);
  await expect(events.pin(), "a read that goes on").rejects.toThrow(IndexSwitchedError);
});

it("refuses a read that was built for the other database before the switch", async () => {
  const events = openEvents("http://clickhouse");
  await switchTo("sql");
  const late = sql<{
    position: number;
  }>`SELECT position FROM logs WHERE ${events.dialect.isApproval} AND has_topic1 = 0`;
  await expect(events.all(LOGS)).rejects.toThrow(IndexSwitchedError);
  await expect(events.all(late)).rejects.toThrow(IndexSwitchedError);
  await expect(openEvents().all(late)).rejects.toThrow("no such");
});

it("has no events without the URL of the ClickHouse in which they are, until another index has them", async () => {
  await switchTo("clickhouse");
  const events = openEvents();
  await expect(events.all(LOGS)).rejects.toThrow(IndexSwitchedError);
  await expect(events.all(LOGS)).rejects.toThrow(IndexReadError);
  await expect(events.all(LOGS)).rejects.toThrow("whose URL is not set");
  await switchTo("sql");
  await expect(events.all(LOGS)).rejects.toThrow(IndexSwitchedError);
  expect(await events.all(LOGS)).toEqual([]);
});

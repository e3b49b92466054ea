import { expect, it } from "vitest";
import type { ChainConfig } from "../model/chainConfig.ts";
import { EVENTS_VERSION } from "../store/schema.ts";
import { KEPT_FACT } from "../store/upgradeProgress.ts";
import { type PlannedIndex, planIndex } from "./indexPlan.ts";

/* What a process does with an index in PostgreSQL that was built at the time 5, and that it opens at the time 10. */

const CONFIG: ChainConfig = { id: 1337, name: "local", aliases: [], rpcUrls: [], startBlock: 100 };
const BUILT = { layout: 6, revision: 7, scope: "chain", startBlock: 100, wrapped: null, at: 5 };

const EVENTS = { layout: EVENTS_VERSION, events: "clickhouse" };
const IN_CLICKHOUSE = { ...EVENTS, scope: "chain", startBlock: 100, wrapped: null, at: 5 };

function indexOf(definition: object | undefined, blocks?: number, kept?: string): PlannedIndex {
  const facts = new Map<string, string>();
  if (definition) facts.set("making", JSON.stringify(definition));
  if (kept !== undefined) facts.set(KEPT_FACT, kept);
  return {
    store: { properties: async () => facts },
    partitions: blocks === undefined ? undefined : { blocks },
    eventDefinition: definition && "events" in definition ? EVENTS : undefined,
    isShared: true,
    openedAt: 10,
  };
}

const plan = (index: PlannedIndex, config: Partial<ChainConfig> = {}, blocks?: number) =>
  planIndex(index, { ...CONFIG, ...config }, { partitionBlocks: blocks, eventDefinition: undefined });

/** The same for a process that stores events in ClickHouse. */
const planEvents = (index: PlannedIndex, config: Partial<ChainConfig> = {}) =>
  planIndex(index, { ...CONFIG, ...config }, { partitionBlocks: undefined, eventDefinition: EVENTS });

it("an index that can be used stays, and so does one whose partitions are not set", async () => {
  expect(await plan(indexOf(BUILT))).toMatchObject({ canLead: true, next: undefined });
  expect(await plan(indexOf({ ...BUILT, layout: 2006 }, 50))).toMatchObject({
    canLead: true,
    next: undefined,
  });
  expect(await plan(indexOf(undefined, 50), {}, 50)).toMatchObject({ canLead: true, next: undefined });
});

it("an index with other partitions is continued until another one is built, unless it was built since the start", async () => {
  const expected = { canLead: true, next: { partitionBlocks: 50 }, isIncomplete: false };
  expect(await plan(indexOf(BUILT), {}, 50)).toMatchObject(expected);
  expect(await plan(indexOf({ ...BUILT, layout: 2006 }, 20), {}, 50)).toMatchObject(expected);
  const later = await plan(indexOf({ ...BUILT, at: 11 }), {}, 50);
  expect(later.next).toBeUndefined();
  expect(later.warning).toContain("keeps them");
  expect(await plan(indexOf(undefined), {}, 50)).toMatchObject({ ...expected, canLead: false });
});

it("an index that lacks something is continued with the settings with which it was built", async () => {
  const earlier = await plan(indexOf({ ...BUILT, layout: 2006 }, 20), { startBlock: 0, traces: true });
  expect(earlier).toMatchObject({ canLead: true, next: { partitionBlocks: 20 }, isIncomplete: true });
  expect(earlier.config.startBlock).toBe(100);
  expect(earlier.config.traces).toBeUndefined();
  const wallets = await plan(indexOf({ ...BUILT, scope: "wallets" }));
  expect(wallets).toMatchObject({ config: { scope: "wallets" }, isIncomplete: true });
  const wrapped = `0x${"ee".repeat(20)}`;
  const kept = await plan(indexOf({ ...BUILT, layout: 2006, wrapped }, 20, "40"));
  expect(kept.next).toBeDefined();
  expect(kept.config.market?.wrappedNative).toBe(wrapped);
});

it("an index of a version that is too old is only read, and one of a newer version is left alone", async () => {
  expect(await plan(indexOf({ ...BUILT, layout: 1 }))).toMatchObject({ canLead: false, isIncomplete: true });
  expect(await plan(indexOf({ ...BUILT, layout: 99 }), {}, 50)).toMatchObject({ next: undefined });
});

it("an index with its events in ClickHouse is continued until one with other settings has been built", async () => {
  expect(await planEvents(indexOf(IN_CLICKHOUSE))).toMatchObject({ canLead: true, next: undefined });
  const earlier = await planEvents(indexOf(IN_CLICKHOUSE), { startBlock: 0 });
  expect(earlier).toMatchObject({
    ...{ canLead: true, next: { partitionBlocks: undefined }, isIncomplete: true },
    config: { startBlock: 100 },
  });
  const older = await planEvents(indexOf({ ...IN_CLICKHOUSE, layout: EVENTS_VERSION - 1 }));
  expect(older).toMatchObject({ canLead: false, next: { partitionBlocks: undefined }, isIncomplete: true });
  expect((await planEvents(indexOf({ ...IN_CLICKHOUSE, layout: EVENTS_VERSION + 1 }))).next).toBeUndefined();
});

it("an index whose events move to another database lacks nothing meanwhile, and has no partitions in ClickHouse", async () => {
  const toClickHouse = await planEvents(indexOf({ ...BUILT, layout: 2006 }, 20));
  expect(toClickHouse).toMatchObject({ canLead: true, isIncomplete: false });
  expect(toClickHouse.next).toEqual({ partitionBlocks: undefined, reason: "its settings have changed" });
  const back = await plan(indexOf(IN_CLICKHOUSE), {}, 50);
  expect(back).toMatchObject({ canLead: true, next: { partitionBlocks: 50 }, isIncomplete: false });
  // A process that started before keeps the index, so that they do not replace it in turns.
  expect((await planEvents(indexOf({ ...BUILT, at: 11 }))).next).toBeUndefined();
  expect((await plan(indexOf({ ...IN_CLICKHOUSE, at: 11 }))).next).toBeUndefined();
});

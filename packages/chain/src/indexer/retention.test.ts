import { expect, it } from "vitest";
import { createRecordingLogger } from "../../test/testService.ts";
import { Retention, type RetentionOptions } from "./retention.ts";

/* What is removed after blocks of a minute each, of which the first one is at the epoch. */

const DAY_BLOCKS = 1_440;

function start(keep: RetentionOptions["keep"], canRemove = true) {
  const removals: number[] = [];
  const clock = { now: 0 };
  const chain = { newest: 0 };
  const log = createRecordingLogger();
  const blockAfter = async (time: number) => {
    const number = Math.max(0, Math.ceil(time / 60));
    return number > chain.newest
      ? undefined
      : { number, hash: "0x", parentHash: "0x", timestamp: number * 60 };
  };
  const removal = {
    async removeBefore(block: number) {
      removals.push(block);
      return { isRemoved: true, hasMore: false };
    },
  };
  const index = {
    store: { blockAfter, firstKeptBlock: async () => removals.at(-1) },
    removal: canRemove ? removal : undefined,
  };
  const retention = new Retention({ index, keep, chainName: "test", log, now: () => clock.now });
  /** Indexes up to a block at a time, in blocks; returns the block before which events were removed. */
  async function indexUpTo(block: number, nowInBlocks: number, finalized: number | null = null) {
    removals.length = 0;
    chain.newest = block;
    clock.now = nowInBlocks * 60_000;
    await retention.apply(block, finalized);
    return removals.at(-1);
  }
  return { retention, log, indexUpTo };
}

it("apply() removes nothing without a limit, nor before there are more blocks than are kept", async () => {
  expect(await start({}).indexUpTo(100_000, 100_000)).toBeUndefined();
  expect(await start({ keepBlocks: 20_000 }).indexUpTo(19_999, 19_999)).toBeUndefined();
});

it("apply() keeps the last blocks, and those that are not final", async () => {
  const { retention, indexUpTo } = start({ keepBlocks: 20_000 });
  expect(await indexUpTo(50_000, 50_000)).toBe(30_001);
  expect(retention.keptFrom).toBe(30_001);
  expect(await indexUpTo(50_000, 50_000, 25_000)).toBe(25_000);
});

it("apply() keeps the blocks of the last days", async () => {
  const { indexUpTo } = start({ keepDays: 30 });
  expect(await indexUpTo(60 * DAY_BLOCKS, 60 * DAY_BLOCKS)).toBe(30 * DAY_BLOCKS);
  expect(await indexUpTo(61 * DAY_BLOCKS, 61 * DAY_BLOCKS)).toBe(31 * DAY_BLOCKS);
  expect(await indexUpTo(62 * DAY_BLOCKS, 62 * DAY_BLOCKS, 5)).toBe(5);
});

it("apply() keeps the last 10,000 blocks even if they are older than the days", async () => {
  const { indexUpTo } = start({ keepDays: 1 });
  expect(await indexUpTo(50_000, 90_000)).toBe(40_001);
  // Blocks of the days to keep follow.
  expect(await indexUpTo(90_000, 90_000)).toBe(80_001);
});

it("apply() does not remove newer blocks than at its last look while it indexes old ones", async () => {
  const { indexUpTo } = start({ keepDays: 30 });
  const now = 100 * DAY_BLOCKS;
  expect(await indexUpTo(20_000, now)).toBe(10_001);
  // Without a minute in between.
  expect(await indexUpTo(now, now)).toBe(70 * DAY_BLOCKS);
});

it("apply() keeps what either limit keeps", async () => {
  const both = start({ keepBlocks: 20_000, keepDays: 1 });
  expect(await both.indexUpTo(90_000, 90_000)).toBe(70_001);
  const days = start({ keepBlocks: 20_000, keepDays: 30 });
  expect(await days.indexUpTo(90_000, 90_000)).toBe(90_000 - 30 * DAY_BLOCKS);
});

it("a limit for an index that cannot remove events is a warning", async () => {
  const { log, indexUpTo } = start({ keepDays: 30 }, false);
  expect(log.lines.join()).toContain("no events are removed");
  expect(await indexUpTo(90_000, 90_000)).toBeUndefined();
});

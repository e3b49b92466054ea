import { beforeEach, expect, it, vi } from "vitest";
import { readHistory } from "./priceHistory.ts";

const DAY = 86_400;

/** The times of the blocks, in seconds; the index is the number of the block. */
const chain = vi.hoisted(() => ({ blocks: [0] }));

vi.mock("./dataApi.ts", () => ({
  getTokenPrice: vi.fn(),
  async getDateToBlock({ date }: { date: string }) {
    const at = Date.parse(date) / 1000;
    const distances = chain.blocks.map((timestamp) => Math.abs(timestamp - at));
    const block = distances.indexOf(Math.min(...distances));
    return { block, timestamp: chain.blocks[block] };
  },
}));

const priceOf = vi.fn(async (block: number) => (block < 2 ? 5 : 6));
const read = (range: "day" | "month" | "all") => readHistory({ chain: "0x1", range }, priceOf);

beforeEach(() => {
  priceOf.mockClear();
});

it("readHistory() covers the whole range although all of its blocks are of its last minute", async () => {
  const now = 1_000 * DAY;
  chain.blocks = [100 * DAY, 110 * DAY, now - 40, now];
  const points = await read("month");
  expect(points.at(0)).toEqual({ at: (now - 30 * DAY) * 1000, value: 5 });
  expect(points.at(-1)).toEqual({ at: now * 1000, value: 6 });
  expect(points.filter(({ value }) => value === 5)).toHaveLength(points.length - 1);
});

it("readHistory() uses the block before a time, not a nearer one after it", async () => {
  chain.blocks = [0, 50 * DAY, 60 * DAY];
  const points = await read("all");
  const at55 = points.find(({ at }) => at > 55 * DAY * 1000);
  expect(at55?.value).toBe(5);
});

it("readHistory() reads the value of each block once", async () => {
  chain.blocks = [0, 900 * DAY, 1_000 * DAY];
  await read("all");
  expect(priceOf.mock.calls.map(([block]) => block).sort()).toEqual([0, 1, 2]);
});

it("readHistory() has no points before the first block", async () => {
  const first = 990 * DAY;
  chain.blocks = [first, 1_000 * DAY];
  const points = await read("month");
  expect(points.at(0)?.at).toBe(first * 1000);
});

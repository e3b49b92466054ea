import { expect, it } from "vitest";
import { BlockTimes } from "./blockTimes.ts";

function timesOf(...timestamps: number[]): BlockTimes {
  const times = new BlockTimes();
  times.record(timestamps.map((timestamp, number) => ({ number, timestamp })));
  return times;
}

const every = (seconds: number, count: number) => Array.from({ length: count }, (_, i) => i * seconds);

it("the latest block may be as old as twenty blocks take, and never less than thirty seconds", () => {
  expect(timesOf(...every(12, 50)).maxAge).toBe(240);
  expect(timesOf(...every(1, 50)).maxAge).toBe(30);
});

it("a chain with irregular blocks may rest three times as long as before", () => {
  expect(timesOf(0, 1, 2, 3_602, 3_603).maxAge).toBe(18_015);
  expect(timesOf(...every(1, 98), 3_697, 3_698).maxAge).toBe(10_800);
});

it("only the latest hundred blocks count", () => {
  const times = timesOf(...every(100, 200));
  times.record(every(2, 100).map((timestamp, i) => ({ number: 200 + i, timestamp: 20_000 + timestamp })));
  expect(times.maxAge).toBe(40);
});

it("the times of a chain with too few blocks are assumed", () => {
  expect(timesOf().maxAge).toBe(300);
  expect(timesOf(5).maxAge).toBe(300);
});

import { describe, expect, it } from "vitest";
import { candlesOf, startOfInterval } from "./candles.ts";

const seconds = (iso: string) => Date.parse(iso) / 1000;

describe("startOfInterval()", () => {
  it.each([
    ["1min", "2026-03-05T13:47:00Z"],
    ["10min", "2026-03-05T13:40:00Z"],
    ["4h", "2026-03-05T12:00:00Z"],
    ["1d", "2026-03-05T00:00:00Z"],
    // A Monday.
    ["1w", "2026-03-02T00:00:00Z"],
    ["1M", "2026-03-01T00:00:00Z"],
  ])("returns the start of an interval of %s in UTC", (timeframe, start) => {
    expect(startOfInterval(seconds("2026-03-05T13:47:59Z"), timeframe)).toBe(seconds(start));
    expect(startOfInterval(seconds(start), timeframe)).toBe(seconds(start));
  });
});

describe("candlesOf()", () => {
  it("combines the trades of each interval, latest first, and leaves out empty intervals", () => {
    const at = (minute: number, price: number, volume: number) => ({ time: minute * 60, price, volume });
    expect(candlesOf([at(0, 3, 1), at(1, 5, 2), at(2, 2, 4), at(14, 7, 8)], "5min")).toEqual([
      { start: 600, open: 7, high: 7, low: 7, close: 7, volume: 8, trades: 1 },
      { start: 0, open: 3, high: 5, low: 2, close: 2, volume: 7, trades: 3 },
    ]);
  });
});

import { describe, expect, it } from "vitest";
import { DEFAULT_CHART, parseChart, toTimeline, withKnownFields } from "./chart.ts";

describe("parseChart()", () => {
  it("returns charts with all properties, and undefined for everything else", () => {
    const chart = { ...DEFAULT_CHART, fn: "sum", field: "price" };
    expect(parseChart(chart)).toEqual(chart);
    expect(parseChart({ ...chart, field: 5, other: 1 })).toEqual({ ...DEFAULT_CHART, fn: "sum" });
    for (const invalid of [undefined, null, "x", {}, { ...chart, fn: "median" }, { ...chart, by: 1 }]) {
      expect(parseChart(invalid)).toBeUndefined();
    }
  });
});

describe("withKnownFields()", () => {
  it("replaces fields that the class lacks, and counts without a numeric field", () => {
    const chart = { ...DEFAULT_CHART, fn: "sum", field: "gone", by: "gone" } as const;
    expect(withKnownFields(chart, ["price"], ["createdAt", "city"])).toMatchObject({
      ...{ fn: "sum", field: "price", by: "createdAt" },
    });
    expect(withKnownFields({ ...chart, by: "city" }, [], ["city"])).toMatchObject({
      fn: "count",
      by: "city",
    });
  });
});

describe("toTimeline()", () => {
  it.each([
    ["hour", ["2026-01-01T22", "2026-01-02T00"], [0, 1, 2]],
    ["day", ["2026-02-27", "2026-03-01"], [0, 24, 48]],
    ["month", ["2025-12", "2026-02"], [0, 24 * 31, 24 * 62]],
    ["year", ["2023", "2025"], [0, 24 * 365, 24 * 731]],
  ] as const)("fills the gaps of counts by %s with 0", (interval, [from, to], hours) => {
    const points = [
      { key: from, value: 3 },
      { key: to, value: 5 },
    ];
    const { points: line, isCut } = toTimeline(points, { fn: "count", interval });
    expect(isCut).toBe(false);
    const first = line[0]?.at ?? 0;
    expect(line.map(({ at, value }) => [(at - first) / 3_600_000, value])).toEqual([
      [hours[0], 3],
      [hours[1], 0],
      [hours[2], 5],
    ]);
  });

  it("leaves out times without a value in averages", () => {
    const points = [
      { key: "2026-01", value: 3 },
      { key: "2026-02", value: null },
      { key: "2026-05", value: 5 },
    ];
    const line = toTimeline(points, { fn: "avg", interval: "month" });
    expect(line.points.map(({ value }) => value)).toEqual([3, 5]);
    expect(toTimeline([], { fn: "sum", interval: "day" })).toEqual({ points: [], isCut: false });
  });

  it.each(["hour", "day", "month", "year"] as const)(
    "ends with the last %s if there are too many",
    (interval) => {
      const from = { hour: "2020-01-01T00", day: "2000-01-01", month: "1000-01", year: "0001" }[interval];
      const to = { hour: "2026-01-01T05", day: "2026-03-01", month: "2026-02", year: "2026" }[interval];
      const points = [
        { key: from, value: 3 },
        { key: to, value: 5 },
      ];
      const { points: line, isCut } = toTimeline(points, { fn: "sum", interval });
      expect([line.length, line[0]?.value, line.at(-1)?.value, isCut]).toEqual([2_000, 0, 5, true]);
    },
  );
});

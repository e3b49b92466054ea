import { describe, expect, it } from "vitest";
import { axisFormat, axisRange, axisTicks, nearestIndex } from "./Chart.tsx";

const points = [0, 10, 20, 40].map((at) => ({ at, value: at }));

it.each([
  [-5, 0],
  [4, 0],
  [6, 1],
  [29, 2],
  [31, 3],
  [99, 3],
])("nearestIndex() of %i is %i", (at, index) => {
  expect(nearestIndex(points, at)).toBe(index);
});

describe("axisFormat()", () => {
  const noon = new Date(2026, 5, 15, 12).getTime();
  const hour = 3_600_000;

  it("shows times within a day, dates where the day changes, and dates alone for longer spans", () => {
    expect(axisFormat(noon, noon + 2 * hour)).toEqual({ timeStyle: "short" });
    expect(axisFormat(noon, noon + 24 * hour)).toMatchObject({ day: "numeric", hour: "numeric" });
    expect(axisFormat(noon, noon + 72 * hour)).toEqual({ dateStyle: "medium" });
    expect(axisFormat(noon, noon + hour / 12)).toEqual({ timeStyle: "medium" });
  });

  it("separates the days of UTC, if that is the time zone of the chart", () => {
    const midnight = Date.UTC(2026, 5, 15);
    expect(axisFormat(midnight, midnight + 23 * hour, "UTC")).toEqual({ timeStyle: "short" });
    expect(axisFormat(midnight - hour, midnight + hour, "UTC")).toMatchObject({ day: "numeric" });
  });
});

describe("axisRange()", () => {
  it("puts a series that does not change in the middle", () => {
    expect(axisRange(0.000508, 0.000508, true)).toEqual([0.000508 * 0.9, 0.000508 * 1.1]);
    expect(axisRange(0, 0, true)).toEqual([-1, 1]);
  });

  it("fits a series that changes, and starts at zero for counts", () => {
    expect(axisRange(100, 200, true)).toEqual([92, 200]);
    expect(axisRange(100, 200)).toEqual([0, 200]);
    expect(axisRange(0, 0)).toEqual([0, 1]);
  });
});

describe("axisTicks()", () => {
  it("tells the format how far the ticks are apart", () => {
    const steps: unknown[] = [];
    axisTicks([10, 12, 14], (value, step) => {
      steps.push(step);
      return String(value);
    });
    expect(steps).toEqual([2, 2, 2]);
  });

  it("has no label twice, and no ticks without one", () => {
    const format = (value: number) => (Number.isInteger(value) ? String(Math.round(value / 10)) : "");
    expect(axisTicks([0, 0.5, 1, 10], format)).toEqual([
      { tick: 0, text: "0" },
      { tick: 10, text: "1" },
    ]);
  });
});

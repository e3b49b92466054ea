import { describe, expect, it } from "vitest";
import { axisFormat, nearestIndex } from "./Chart.tsx";

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

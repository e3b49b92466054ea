import { expect, it } from "vitest";
import { nearestIndex } from "./Chart.tsx";

const points = [0, 10, 20, 40].map((at) => ({ at, value: at }));

it.each([
  [-5, 0],
  [4, 0],
  [6, 1],
  [29, 2],
  [31, 3],
  [99, 3],
])("the point nearest to %i is the one at place %i", (at, index) => {
  expect(nearestIndex(points, at)).toBe(index);
});

import { expect, it } from "vitest";
import { hasInnerCalls, visibleCalls } from "./visibleCalls.ts";

const calls = [0, 1, 2, 1, 0].map((depth) => ({ depth }));

it("finds the calls that called others", () => {
  expect(calls.map((_, index) => hasInnerCalls(calls, index))).toEqual([true, true, false, false, false]);
});

it("hides the calls inside of collapsed ones, at any depth", () => {
  expect(visibleCalls(calls, new Set())).toEqual([0, 1, 2, 3, 4]);
  expect(visibleCalls(calls, new Set([1]))).toEqual([0, 1, 3, 4]);
  expect(visibleCalls(calls, new Set([0, 1]))).toEqual([0, 4]);
});

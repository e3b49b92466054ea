import { expect, it } from "vitest";
import { hasInnerCalls, visibleCalls } from "./visibleCalls.ts";

const calls = [0, 1, 2, 1, 0].map((depth) => ({ depth }));

it("hasInnerCalls() is true for calls with inner calls", () => {
  expect(calls.map((_, index) => hasInnerCalls(calls, index))).toEqual([true, true, false, false, false]);
});

it("visibleCalls() hides the calls inside collapsed ones, at any depth", () => {
  expect(visibleCalls(calls, new Set())).toEqual([0, 1, 2, 3, 4]);
  expect(visibleCalls(calls, new Set([1]))).toEqual([0, 1, 3, 4]);
  expect(visibleCalls(calls, new Set([0, 1]))).toEqual([0, 4]);
});

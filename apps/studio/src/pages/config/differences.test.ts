import { describe, expect, it } from "vitest";
import { diffConfig } from "./differences.ts";

describe("diffConfig()", () => {
  it("lists changed, removed and added parameters by name, with changes of master key access", () => {
    const now = { params: { a: 1, b: "x", same: [1], shown: true }, masterKeyOnly: {} };
    const then = { params: { a: 2, c: null, same: [1], shown: true }, masterKeyOnly: { shown: true } };
    expect(diffConfig(now, then)).toEqual([
      { name: "a", from: "1", to: "2" },
      { name: "b", from: '"x"', to: undefined },
      { name: "c", from: undefined, to: "null" },
      { name: "shown", from: "true", to: "true (master key only)" },
    ]);
  });
});

import { describe, expect, it } from "vitest";
import { mapInSlices } from "./jsonList.ts";

describe("mapInSlices()", () => {
  it("returns results in the order of the items when some of them are promises", async () => {
    const results = await mapInSlices([1, 2, 3], (n) => (n === 2 ? Promise.resolve(n * 10) : n * 10));
    expect(results).toEqual([10, 20, 30]);
  });

  it("rejects with the error of a promise among other results", async () => {
    const mapping = mapInSlices([1, 2], (n) => (n === 1 ? Promise.reject(new Error("no")) : n));
    await expect(mapping).rejects.toThrow("no");
  });

  it("returns an empty list for no items", async () => {
    await expect(mapInSlices([], () => 1)).resolves.toEqual([]);
  });
});

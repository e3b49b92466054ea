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

  it("maps long texts in turns of their own, also those of several lists", async () => {
    let turn = 0;
    const turns: number[] = [];
    let isCounting = true;
    const count = () => {
      turn += 1;
      if (isCounting) setImmediate(count);
    };
    setImmediate(count);
    const texts = Array.from({ length: 3 }, () => "x".repeat(300_000));
    await Promise.all([texts, texts].map((each) => mapInSlices(each, () => turns.push(turn))));
    isCounting = false;
    expect(turns).toHaveLength(6);
    expect(new Set(turns).size).toBe(6);
  });

  it("returns an empty list for no items", async () => {
    await expect(mapInSlices([], () => 1)).resolves.toEqual([]);
  });
});

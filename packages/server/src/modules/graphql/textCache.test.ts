import { describe, expect, it } from "vitest";
import { TextCache } from "./textCache.ts";

const charsOf = (key: string) => key.length;

describe("TextCache", () => {
  it("removes the least recently used entries beyond the number of characters", () => {
    const cache = new TextCache<number>({ maxChars: 10, maxEntryChars: 6, charsOf });
    cache.set("aaaa", 1);
    cache.set("bbbb", 2);
    expect(cache.get("aaaa")).toBe(1);
    cache.set("cccc", 3);
    expect(["aaaa", "bbbb", "cccc"].map((key) => cache.get(key))).toEqual([1, undefined, 3]);
    expect(cache.chars).toBe(8);
  });

  it("does not cache entries that are too long", () => {
    const cache = new TextCache<number>({ maxChars: 10, maxEntryChars: 6, charsOf });
    cache.set("aaaaaaa", 1);
    expect([cache.get("aaaaaaa"), cache.chars]).toEqual([undefined, 0]);
  });

  it("counts a replaced entry once", () => {
    const cache = new TextCache<string>({
      maxChars: 10,
      maxEntryChars: 6,
      charsOf: (_, text) => text.length,
    });
    cache.set("a", "xxxxxx");
    cache.set("a", "x");
    expect([cache.get("a"), cache.chars]).toEqual(["x", 1]);
  });
});

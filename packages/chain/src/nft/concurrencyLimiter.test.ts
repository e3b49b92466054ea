import { describe, expect, it } from "vitest";
import { ConcurrencyLimiter } from "./concurrencyLimiter.ts";

/** How many attempts of a collection acquire a slot. */
const taken = (limiter: ConcurrencyLimiter, collections: string[]) =>
  collections.filter((collection) => limiter.acquire(collection) !== undefined).length;
const many = (name: string, count = 100) => Array.from({ length: count }, (_, i) => `${name} ${i}`);
const settle = (limiter: ConcurrencyLimiter, collection: string, hasAnswered: boolean) =>
  limiter.acquire(collection)?.release(hasAnswered);

describe("ConcurrencyLimiter", () => {
  it("allows one fetch at a time for an unknown collection", () => {
    expect(taken(new ConcurrencyLimiter(), Array(10).fill("a"))).toBe(1);
  });

  it("allows several fetches at a time for a collection that responds", () => {
    const limiter = new ConcurrencyLimiter();
    settle(limiter, "a", true);
    expect(taken(limiter, Array(10).fill("a"))).toBe(4);
  });

  it("reserves slots for others, regardless of how many collections do not respond", () => {
    const limiter = new ConcurrencyLimiter();
    const bad = many("bad");
    for (const each of bad) settle(limiter, each, false);
    settle(limiter, "good", true);
    expect(taken(limiter, bad)).toBe(4);
    expect(taken(limiter, many("new"))).toBe(8);
    expect(taken(limiter, Array(10).fill("good"))).toBe(4);
  });

  it("releases slots after fetches, with a longer deadline for slow collections", () => {
    const limiter = new ConcurrencyLimiter();
    const first = limiter.acquire("a");
    expect(limiter.acquire("a")).toBeUndefined();
    first?.release(false);
    expect(limiter.acquire("a")?.deadlineMs).toBeGreaterThan(first?.deadlineMs ?? Number.POSITIVE_INFINITY);
  });

  it("reserves slots for other hosts, regardless of how many new collections use one host", () => {
    const limiter = new ConcurrencyLimiter();
    const atHost = (names: string[], host: string) =>
      names.filter((each) => limiter.acquire(each, host) !== undefined).length;
    expect(atHost(many("new"), "slow.example")).toBe(4);
    expect(atHost(many("other"), "quick.example")).toBe(4);
  });

  it("reserves slots of unreliable collections for other hosts", () => {
    const limiter = new ConcurrencyLimiter();
    const bad = many("bad");
    for (const each of bad) settle(limiter, each, false);
    expect(bad.filter((each) => limiter.acquire(each, "slow.example") !== undefined)).toHaveLength(2);
    expect(bad.filter((each) => limiter.acquire(each, "other.example") !== undefined)).toHaveLength(2);
  });
});

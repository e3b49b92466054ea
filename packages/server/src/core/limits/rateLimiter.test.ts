import { describe, expect, it } from "vitest";
import { createMemoryLimiter } from "./rateLimiter.ts";

function limiterAt(maxKeys?: number) {
  const time = { now: 0 };
  const limiter = createMemoryLimiter({ clock: () => time.now, ...(maxKeys !== undefined && { maxKeys }) });
  return { limiter, time };
}

describe("the limiter in memory", () => {
  it("counts each key separately, in windows that start with the first request", async () => {
    const { limiter, time } = limiterAt();
    time.now = 500;
    expect(await limiter.count("a", 1_000)).toEqual({ used: 1, resetsInMs: 1_000 });
    time.now = 900;
    expect(await limiter.count("a", 1_000)).toEqual({ used: 2, resetsInMs: 600 });
    expect(await limiter.count("b", 1_000)).toEqual({ used: 1, resetsInMs: 1_000 });
    time.now = 1_500;
    expect(await limiter.count("a", 1_000)).toEqual({ used: 1, resetsInMs: 1_000 });
  });

  it("returns the usage without counting", async () => {
    const { limiter, time } = limiterAt();
    expect(await limiter.usage("a", 1_000)).toEqual({ used: 0, resetsInMs: 1_000 });
    await limiter.count("a", 1_000);
    time.now = 100;
    expect(await limiter.usage("a", 1_000)).toEqual({ used: 1, resetsInMs: 900 });
    expect(await limiter.usage("a", 1_000)).toEqual({ used: 1, resetsInMs: 900 });
  });

  it("keeps at most the maximum number of keys, and evicts the oldest windows first", async () => {
    const { limiter } = limiterAt(100);
    for (let i = 0; i < 1_000; i++) await limiter.count(`key ${i}`, 1_000);
    expect((await limiter.usage("key 999", 1_000)).used).toBe(1);
    expect((await limiter.usage("key 0", 1_000)).used).toBe(0);
  });
});

import { describe, expect, it } from "vitest";
import { PortionedLimit } from "./portionedLimit.ts";
import { createMemoryLimiter, type RateLimiter } from "./rateLimiter.ts";

const KIB = 1024;
const HOUR = 3_600_000;

/** Limits of 128 KiB, counted in portions of 1 KiB, of processes that share a limiter. */
function setUp({ maxBytes = 128 * KIB, processes = 1 } = {}) {
  const time = { now: 1_000 };
  const counts: number[] = [];
  const memory = createMemoryLimiter({ clock: () => time.now });
  const limiter: RateLimiter = {
    ...memory,
    count(key, windowMs, weight = 1) {
      counts.push(weight);
      return memory.count(key, windowMs, weight);
    },
  };
  const limits = Array.from(
    { length: processes },
    () =>
      new PortionedLimit({
        limiter,
        name: "stored",
        maxBytes,
        windowMs: HOUR,
        clock: () => time.now,
        message: (key) => `${key} has stored too much`,
      }),
  );
  const [limit] = limits;
  if (!limit) throw new Error("There is no process");
  return { time, counts, limit, limits };
}

describe("a limit that is counted in portions", () => {
  it("counts a portion once, and then uses bytes of it at once", async () => {
    const { limit, counts } = setUp();
    await limit.use("ann", 100);
    expect(limit.use("ann", 900)).toBeUndefined();
    expect(counts).toEqual([1]);
    await limit.use("ann", 100);
    expect(counts).toEqual([1, 1]);
  });

  it("counts as much as a larger use needs", async () => {
    const { limit, counts } = setUp();
    await limit.use("ann", 10 * KIB);
    expect(counts).toEqual([10]);
  });

  it("allows exactly as much as its maximum, in parallel and by several processes, by key", async () => {
    const { limits } = setUp({ processes: 2 });
    const uses = Array.from({ length: 300 }, (_, n) => limits[n % 2]?.use("ann", KIB));
    const outcomes = await Promise.allSettled(uses);
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(128);
    await expect(limits[0]?.use("bob", KIB)).resolves.toBeUndefined();
  });

  it("allows uses that begin while others are being counted", async () => {
    const { limit } = setUp();
    const uses: (Promise<void> | undefined)[] = [];
    for (let n = 0; n < 128; n++) {
      uses.push(limit.use("ann", KIB));
      await Promise.resolve();
    }
    await Promise.all(uses);
  });

  it("allows smaller uses after it has refused a large one", async () => {
    const { limit } = setUp();
    await limit.use("ann", 120 * KIB);
    await expect(limit.use("ann", 10 * KIB)).rejects.toThrow("ann has stored too much");
    await limit.use("ann", 8 * KIB);
    await expect(limit.use("ann", 1)).rejects.toMatchObject({ code: 155, status: 429, retryAfter: 3_600 });
    expect(limit.refusals).toBe(2);
  });

  it("does not count what it has refused already", async () => {
    const { limit, counts } = setUp();
    await limit.use("ann", 128 * KIB);
    for (let n = 0; n < 5; n++) await expect(limit.use("ann", 1)).rejects.toThrow();
    expect(counts).toHaveLength(2);
  });

  it("begins anew when its window has ended", async () => {
    const { limit, time } = setUp();
    await limit.use("ann", 128 * KIB);
    time.now += HOUR - 1_000;
    await expect(limit.use("ann", 1)).rejects.toMatchObject({ retryAfter: 1 });
    time.now += 1_000;
    await limit.use("ann", 128 * KIB);
  });

  it("allows again what is given back", async () => {
    const { limit } = setUp();
    await limit.use("ann", 128 * KIB);
    limit.giveBack("ann", 5 * KIB);
    expect(limit.use("ann", 5 * KIB)).toBeUndefined();
  });

  it("forgets what is given back after the window", async () => {
    const { limit, time } = setUp();
    await limit.use("ann", 128 * KIB);
    time.now += HOUR;
    limit.giveBack("ann", 128 * KIB);
    await limit.use("ann", 128 * KIB);
    await expect(limit.use("ann", 1)).rejects.toThrow();
  });

  it("rejects at once with 116 (413) what is larger than its maximum", async () => {
    const { limit, counts } = setUp();
    await expect(limit.use("ann", 128 * KIB + 1)).rejects.toMatchObject({ code: 116, status: 413 });
    expect(counts).toEqual([]);
  });

  it("rejects a use that cannot be counted, and counts the next one", async () => {
    const failures = [new Error("The limiter is broken")];
    const memory = createMemoryLimiter({ clock: () => 0 });
    const limit = new PortionedLimit({
      limiter: {
        ...memory,
        async count(...parameters) {
          const failure = failures.pop();
          if (failure) throw failure;
          return memory.count(...parameters);
        },
      },
      name: "stored",
      maxBytes: 128 * KIB,
      windowMs: HOUR,
      clock: () => 0,
      message: (key) => key,
    });
    const [first, second] = [limit.use("ann", 1), limit.use("ann", 1)];
    await expect(first).rejects.toThrow("The limiter is broken");
    await second;
  });
});

import { describe, expect, it } from "vitest";
import { messageCost, TokenBucket } from "./tokenBucket.ts";

describe("the token bucket of messages", () => {
  it("allows a burst, and then as many messages as tokens are refilled", () => {
    const bucket = new TokenBucket({ burst: 3, perSecond: 2 }, 0);
    expect([1, 1, 1, 1].map((cost) => bucket.consume(cost, 0))).toEqual([true, true, true, false]);
    // One is owed, one is earned each half second.
    expect(bucket.consume(1, 500)).toBe(false);
    expect(bucket.consume(1, 2_000)).toBe(true);
  });

  it("counts long messages by their length", () => {
    expect([0, 1_023, 1_024, 256 * 1_024].map(messageCost)).toEqual([1, 1, 2, 257]);
  });

  it("is full again when all consumed tokens have been refilled", () => {
    const bucket = new TokenBucket({ burst: 4, perSecond: 2 }, 0);
    bucket.consume(2, 0);
    expect([bucket.isFull(500), bucket.isFull(1_000)]).toEqual([false, true]);
  });
});

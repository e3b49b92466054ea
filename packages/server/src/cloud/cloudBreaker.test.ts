import { describe, expect, it } from "vitest";
import { CloudBreaker } from "./cloudBreaker.ts";

const MINUTE_MS = 60_000;

function breakerAt() {
  const time = { ms: 0 };
  return { time, breaker: new CloudBreaker(() => time.ms) };
}

describe("CloudBreaker", () => {
  it("refuses a function to a client that had it block its thread twice, and names it", () => {
    const { breaker } = breakerAt();
    expect(breaker.strike("spin", "eve")).toBe(false);
    expect(breaker.rejection("spin", "eve")).toBeUndefined();
    expect(breaker.strike("spin", "eve")).toBe(true);
    expect(breaker.rejection("spin", "eve")).toMatchObject({
      code: 155,
      status: 429,
      retryAfter: 60,
      message: "spin has blocked the cloud code repeatedly and is refused for 60 s.",
    });
    expect(breaker.refused()).toEqual([{ name: "spin", isRefusedToAll: false, remainingMs: MINUTE_MS }]);
  });

  it("does not refuse other functions to that client, nor the function to others", () => {
    const { breaker } = breakerAt();
    breaker.strike("spin", "eve");
    breaker.strike("spin", "eve");
    expect([breaker.rejection("hello", "eve"), breaker.rejection("spin", "ann")]).toEqual([
      undefined,
      undefined,
    ]);
    expect(breaker.rejection("spin", undefined)).toBeUndefined();
  });

  it("refuses a function to everybody after four times, whoever called it", () => {
    const { breaker } = breakerAt();
    for (const client of ["a", "b", "c"]) expect(breaker.strike("spin", client)).toBe(false);
    expect(breaker.strike("spin", "d")).toBe(true);
    expect(breaker.rejection("spin", "ann")).toMatchObject({ status: 503 });
    expect(breaker.refused()).toMatchObject([{ name: "spin", isRefusedToAll: true }]);
  });

  it("accepts it after a minute, and refuses it at once if it blocks again", () => {
    const { breaker, time } = breakerAt();
    breaker.strike("spin", "eve");
    breaker.strike("spin", "eve");
    time.ms += MINUTE_MS;
    expect([breaker.rejection("spin", "eve"), breaker.refused()]).toEqual([undefined, []]);
    expect(breaker.strike("spin", "eve")).toBe(true);
  });

  it("forgets what happened more than ten minutes ago", () => {
    const { breaker, time } = breakerAt();
    breaker.strike("spin", "eve");
    breaker.strike("spin", "eve");
    time.ms += 11 * MINUTE_MS;
    expect(breaker.strike("spin", "eve")).toBe(false);
  });
});

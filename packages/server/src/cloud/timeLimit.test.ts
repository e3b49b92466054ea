import { ErrorCode } from "@purse/protocol";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { TimeLimit } from "./timeLimit.ts";

const LIMIT_MS = 1_000;
const warn = vi.fn();

beforeEach(() => {
  vi.useFakeTimers();
  warn.mockClear();
});
afterEach(() => {
  vi.useRealTimers();
});

/** An invocation that has not ended, and what has become of it. */
function start(limit: TimeLimit, name: string) {
  const code = Promise.withResolvers<string>();
  const outcomes: unknown[] = [];
  limit.limit(name, code.promise).then(
    (value) => outcomes.push(value),
    (error: unknown) => outcomes.push(error),
  );
  return { code, outcomes };
}

describe("the time limit of cloud code", () => {
  it("passes on the result and the error of code that ends in time, and leaves no timer", async () => {
    const limit = new TimeLimit(LIMIT_MS, { warn });
    const good = start(limit, "good");
    const bad = start(limit, "bad");
    good.code.resolve("done");
    bad.code.reject(new Error("It failed"));
    await vi.advanceTimersByTimeAsync(LIMIT_MS);
    expect(good.outcomes).toEqual(["done"]);
    expect(bad.outcomes).toMatchObject([{ message: "It failed" }]);
    expect(warn).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("rejects each invocation with 124 after its own time, however many run at once", async () => {
    const limit = new TimeLimit(LIMIT_MS, { warn });
    const first = start(limit, "first");
    await vi.advanceTimersByTimeAsync(LIMIT_MS / 2);
    const second = start(limit, "second");
    await vi.advanceTimersByTimeAsync(LIMIT_MS / 2);
    expect(first.outcomes).toMatchObject([
      { code: ErrorCode.TIMEOUT, message: "first did not end within 1000 ms" },
    ]);
    expect(second.outcomes).toEqual([]);
    await vi.advanceTimersByTimeAsync(LIMIT_MS / 2);
    expect(second.outcomes).toMatchObject([{ code: ErrorCode.TIMEOUT }]);
    expect(warn.mock.calls.map(([, fields]) => fields)).toEqual([
      { name: "first", ms: LIMIT_MS },
      { name: "second", ms: LIMIT_MS },
    ]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("limits an invocation that starts after all earlier ones have ended", async () => {
    const limit = new TimeLimit(LIMIT_MS, { warn });
    start(limit, "early").code.resolve("done");
    await vi.advanceTimersByTimeAsync(LIMIT_MS * 3);
    const late = start(limit, "late");
    await vi.advanceTimersByTimeAsync(LIMIT_MS);
    expect(late.outcomes).toMatchObject([{ code: ErrorCode.TIMEOUT }]);
  });

  it("rejects with another error if the code has not begun and will not", async () => {
    const limit = new TimeLimit(LIMIT_MS, { warn });
    const notBegun = new Error("It was not begun");
    const result = limit.limit("late", new Promise(() => undefined), () => notBegun);
    const outcome = result.catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(LIMIT_MS);
    expect(await outcome).toBe(notBegun);
  });

  it("does not apply if it is 0", async () => {
    const limit = new TimeLimit(0, { warn });
    const { code, outcomes } = start(limit, "slow");
    await vi.advanceTimersByTimeAsync(LIMIT_MS * 100);
    expect(outcomes).toEqual([]);
    code.resolve("done");
    await vi.advanceTimersByTimeAsync(0);
    expect(outcomes).toEqual(["done"]);
  });
});

import { describe, expect, it } from "vitest";
import { ByteBudget } from "./byteBudget.ts";

const budgetOf = (maxBytes: number, maxWaitMs = 60_000) => new ByteBudget({ maxBytes, maxWaitMs });

/** Whether a promise has resolved by now. */
async function isDone(work: Promise<unknown>): Promise<boolean> {
  return Promise.race([work.then(() => true), new Promise<false>((done) => setImmediate(() => done(false)))]);
}

describe("ByteBudget", () => {
  it("grants bytes until none are left, and further ones after a release", async () => {
    const budget = budgetOf(100);
    await budget.reserve(50, "a");
    await budget.reserve(50, "b");
    const waiting = budget.reserve(40, "c");
    expect(await isDone(waiting)).toBe(false);
    budget.release(50, "a");
    await waiting;
    expect(budget.used).toBe(90);
  });

  it("limits a group to half of the bytes", async () => {
    const budget = budgetOf(100);
    await budget.reserve(30, "greedy");
    const more = budget.reserve(30, "greedy");
    expect(await isDone(more)).toBe(false);
    expect(await isDone(budget.reserve(40, "other"))).toBe(true);
    budget.release(30, "greedy");
    await more;
  });

  it("grants more than the whole budget to a group that holds nothing, once no other group holds anything", async () => {
    const budget = budgetOf(100);
    await budget.reserve(10, "a");
    const large = budget.reserve(500, "b");
    expect(await isDone(large)).toBe(false);
    budget.release(10, "a");
    await large;
  });

  it("grants more to a request that holds everything itself, because it would wait forever", async () => {
    const budget = budgetOf(100);
    await budget.reserve(60, "a");
    expect(await isDone(budget.reserve(60, "a", { held: 60 }))).toBe(true);
    const other = budget.reserve(60, "a", { held: 60 });
    expect(await isDone(other)).toBe(false);
    budget.release(60, "a");
    await other;
  });

  it("counts bytes that are charged without a reservation", async () => {
    const budget = budgetOf(100);
    budget.charge(150, "a");
    const waiting = budget.reserve(1, "b");
    expect(await isDone(waiting)).toBe(false);
    budget.release(150, "a");
    await waiting;
  });

  it("rejects a waiter with 124 and status 503 after the maximum wait, and serves the next ones", async () => {
    const budget = budgetOf(100, 20);
    await budget.reserve(60, "a");
    await expect(budget.reserve(60, "b")).rejects.toMatchObject({ code: 124, status: 503 });
    expect(await isDone(budget.reserve(40, "c"))).toBe(true);
  });

  it("drops a waiter whose signal is aborted", async () => {
    const budget = budgetOf(100);
    await budget.reserve(100, "a");
    const controller = new AbortController();
    const waiting = budget.reserve(50, "b", { signal: controller.signal });
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ code: 124 });
    budget.release(100, "a");
    expect(budget.used).toBe(0);
  });
});

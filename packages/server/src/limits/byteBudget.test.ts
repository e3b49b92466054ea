import { describe, expect, it } from "vitest";
import { ByteBudget } from "./byteBudget.ts";

const budgetOf = (maxBytes: number, maxWaitMs = 60_000) => new ByteBudget({ maxBytes, maxWaitMs });

/** Whether a promise has resolved by now. */
async function isDone(work: Promise<unknown>): Promise<boolean> {
  return Promise.race([work.then(() => true), new Promise<false>((done) => setImmediate(() => done(false)))]);
}

describe("ByteBudget", () => {
  it("gives bytes out until none are left, and the next ones when some come back", async () => {
    const budget = budgetOf(100);
    await budget.reserve(50, "a");
    await budget.reserve(50, "b");
    const waiting = budget.reserve(40, "c");
    expect(await isDone(waiting)).toBe(false);
    budget.release(50, "a");
    await waiting;
    expect(budget.used).toBe(90);
  });

  it("leaves half for others, whoever asks for how much", async () => {
    const budget = budgetOf(100);
    await budget.reserve(30, "greedy");
    const more = budget.reserve(30, "greedy");
    expect(await isDone(more)).toBe(false);
    expect(await isDone(budget.reserve(40, "other"))).toBe(true);
    budget.release(30, "greedy");
    await more;
  });

  it("gives what is larger than all of it to whoever holds nothing, once nobody else holds anything", async () => {
    const budget = budgetOf(100);
    await budget.reserve(10, "a");
    const large = budget.reserve(500, "b");
    expect(await isDone(large)).toBe(false);
    budget.release(10, "a");
    await large;
  });

  it("counts what is held without having been reserved", async () => {
    const budget = budgetOf(100);
    budget.charge(150, "a");
    const waiting = budget.reserve(1, "b");
    expect(await isDone(waiting)).toBe(false);
    budget.release(150, "a");
    await waiting;
  });

  it("refuses with 124 and status 503 whoever waits too long, and serves those behind", async () => {
    const budget = budgetOf(100, 20);
    await budget.reserve(60, "a");
    await expect(budget.reserve(60, "b")).rejects.toMatchObject({ code: 124, status: 503 });
    expect(await isDone(budget.reserve(40, "c"))).toBe(true);
  });

  it("forgets whoever gives up waiting", async () => {
    const budget = budgetOf(100);
    await budget.reserve(100, "a");
    const controller = new AbortController();
    const waiting = budget.reserve(50, "b", controller.signal);
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ code: 124 });
    budget.release(100, "a");
    expect(budget.used).toBe(0);
  });
});

import { describe, expect, it } from "vitest";
import type { RequestContext } from "../../core/authContext.ts";
import { ANONYMOUS } from "../../core/authContext.ts";
import type { Operations } from "./context.ts";
import { EventBudget } from "./eventBudget.ts";

const OPERATIONS: Operations = {
  execute: async () => ({}),
  authenticateSession: async () => ANONYMOUS,
  setPassword: async () => undefined,
  saveFile: async () => ({ name: "", url: "" }),
  maxLimit: undefined,
};
const REQUEST: RequestContext = {
  auth: ANONYMOUS,
  installationId: undefined,
  context: {},
  ip: "192.0.2.1",
  requestId: "",
};

/** A budget whose clock the test sets, and what resolves an event of so many queries and characters. */
function budgetAt(start: number) {
  const clock = { ms: start };
  const budget = new EventBudget(() => clock.ms);
  const spend = (socket: ReturnType<EventBudget["open"]>, queries: number, chars = 0) =>
    budget.resolve(socket, OPERATIONS, async ({ execute }) => {
      for (let i = 0; i < queries; i++) await execute(REQUEST, "GET", "/classes/Note", {});
      return { result: "resolved", chars };
    });
  return { clock, budget, spend };
}

describe("the budget of events", () => {
  it.each([
    ["queries", 9_000, 0],
    ["characters", 1, 12_000_000],
  ])("ends with 124 after too many %s of a socket, until the next window", async (_, queries, chars) => {
    const { clock, budget, spend } = budgetAt(1_000);
    const socket = budget.open("192.0.2.1");
    expect(await spend(socket, queries, chars)).toBe("resolved");
    await expect(spend(socket, queries, chars)).rejects.toMatchObject({ code: 124 });
    await expect(spend(socket, 1)).rejects.toMatchObject({ code: 124 });
    expect(await spend(budget.open("192.0.2.1"), 1)).toBe("resolved");
    clock.ms += 10_000;
    expect(await spend(socket, 1)).toBe("resolved");
  });

  it("is shared by the sockets of an address, and not by those of others", async () => {
    const { budget, spend } = budgetAt(1_000);
    for (let i = 0; i < 3; i++) await spend(budget.open("192.0.2.1"), 9_000);
    await expect(spend(budget.open("192.0.2.1"), 9_000)).rejects.toMatchObject({ code: 124 });
    expect(await spend(budget.open("192.0.2.2"), 9_000)).toBe("resolved");
  });

  it("resolves a few events of a socket at a time", async () => {
    const { budget } = budgetAt(1_000);
    const socket = budget.open("192.0.2.1");
    const { promise, resolve } = Promise.withResolvers<void>();
    let running = 0;
    const events = Array.from({ length: 20 }, () =>
      budget.resolve(socket, OPERATIONS, async () => {
        running += 1;
        await promise;
        return { result: running, chars: 0 };
      }),
    );
    await expect.poll(() => running).toBe(4);
    resolve();
    await Promise.all(events);
    expect(running).toBe(20);
  });
});

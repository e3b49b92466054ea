import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ByteBudget } from "./byteBudget.ts";
import { RequestScope, runInScope } from "./requestScope.ts";
import { isTurnUsedUp, ownTurn, TimeSlicer } from "./timeSlicer.ts";

/** The clock of a test, in ms, which only work advances. */
let now = 0;
/** Time of work in each turn of the event loop, in ms. */
let turns: number[] = [];
let isCounting = false;

beforeEach(() => {
  turns = [0];
  isCounting = true;
  vi.spyOn(performance, "now").mockImplementation(() => now);
  const count = () => {
    if (!isCounting) return;
    turns.push(0);
    setImmediate(count);
  };
  setImmediate(count);
});
afterEach(() => {
  isCounting = false;
  vi.restoreAllMocks();
});

/** Work of this many milliseconds, for a sender. Resolves with the number of the turn in which it ends. */
function work(ms: number, group = "a"): Promise<number> {
  const budget = new ByteBudget({ maxBytes: 1, maxWaitMs: 1 });
  return runInScope(new RequestScope({ group, budget, maxAnswerBytes: 1 }), async () => {
    const slices = new TimeSlicer();
    for (let done = 0; done < ms; done += 0.5) {
      if (slices.isExpired) await slices.pause();
      now += 0.5;
      turns[turns.length - 1] = (turns.at(-1) ?? 0) + 0.5;
    }
    return turns.length;
  });
}

describe("TimeSlicer", () => {
  it("holds up the event loop as long for many pieces of work as for one", async () => {
    await Promise.all(Array.from({ length: 100 }, () => work(20)));
    // All begin in the same turn.
    expect(Math.max(...turns)).toBeLessThanOrEqual(25);
  });

  it("continues the work of senders in turn", async () => {
    const started = now;
    const attack = Promise.all(Array.from({ length: 20 }, () => work(50, "a")));
    await work(15, "b");
    expect(now - started).toBeLessThan(100);
    await attack;
    expect(now - started).toBeGreaterThan(1_000);
  });

  it("does not interrupt short work, whatever others do", async () => {
    const others = Promise.all(Array.from({ length: 5 }, () => work(50)));
    const turn = turns.length;
    expect(await work(0.5, "b")).toBe(turn);
    await others;
  });
});

/** Work that cannot be divided. */
function undivided(ms: number): void {
  now += ms;
  turns[turns.length - 1] = (turns.at(-1) ?? 0) + ms;
}

describe("isTurnUsedUp()", () => {
  it("lets short work begin at once, until the time of the turn is used up", async () => {
    expect(isTurnUsedUp()).toBe(false);
    undivided(21);
    expect(isTurnUsedUp()).toBe(true);
    await ownTurn();
    expect(isTurnUsedUp()).toBe(false);
  });

  it("spreads many pieces of work that cannot be divided over turns", async () => {
    await Promise.all(
      Array.from({ length: 50 }, async () => {
        if (isTurnUsedUp()) await ownTurn();
        undivided(8);
      }),
    );
    expect(Math.max(...turns)).toBeLessThanOrEqual(28);
  });
});

describe("ownTurn()", () => {
  it("keeps pieces of work apart that take longer than a turn has", async () => {
    await Promise.all(
      Array.from({ length: 10 }, async () => {
        await ownTurn();
        undivided(30);
      }),
    );
    expect(Math.max(...turns)).toBe(30);
  });
});

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createLogger } from "../core/logger.ts";
import { OutageLog } from "../core/outageLog.ts";
import { LeaseHolder } from "../database/leases/leaseHolder.ts";
import { LeasedWork, type LeasedWorkOptions } from "./leasedWork.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** A task that works. */
const TASK = { key: "task", failed: "a task failed", succeeded: "a task works again", fields: { task: 1 } };

/** Work whose lease is free, or held by another process. */
function createWork(options: Partial<LeasedWorkOptions> & { isLeaseFree?: boolean } = {}) {
  const { isLeaseFree = true, ...others } = options;
  const lines: string[] = [];
  const log = new OutageLog({
    error: (message, { error } = {}) => lines.push(`${message}: ${error}`),
    info: (message) => lines.push(message),
  });
  const published: string[] = [];
  const subscribers: ((message: string | undefined) => void)[] = [];
  const lease = new LeaseHolder({
    name: "work",
    logger: createLogger({ level: "silent", format: "text", write: () => undefined }),
    leases: {
      acquire: async () => (isLeaseFree ? 1 : undefined),
      release: async () => undefined,
    },
    onChange: () => work.invalidate(),
  });
  const work = new LeasedWork({
    lease,
    store: {
      subscribe(callback) {
        subscribers.push(callback);
        return () => undefined;
      },
      publish: async (message) => void published.push(message),
    },
    onChainStatus: () => () => undefined,
    notification: "changed",
    pass: async () => undefined,
    queue: { deliverDue: async () => undefined, waitForIdle: async () => undefined },
    outages: {
      log,
      pass: { failed: "passes failed", succeeded: "passes work again" },
      delivery: { failed: "deliveries failed", succeeded: "deliveries work again" },
    },
    clock: Date.now,
    ...others,
  });
  const notify = (message: string | undefined) => {
    for (const subscriber of subscribers) subscriber(message);
  };
  return { work, published, notify, lines };
}

describe("LeasedWork", () => {
  it("runs a pass that was scheduled during another one afterwards, and never two at once", async () => {
    let running = 0;
    let passes = 0;
    const { work } = createWork({
      async pass() {
        running += 1;
        expect(running).toBe(1);
        passes += 1;
        if (passes < 5) work.schedule();
        await Promise.resolve();
        running -= 1;
      },
    });
    work.start();
    // Shorter than the polling interval.
    await vi.advanceTimersByTimeAsync(500);
    expect(passes).toBeGreaterThanOrEqual(5);
    await work.stop();
  });

  it("runs the steps of a task only while this process holds the lease", async () => {
    const step = vi.fn(async () => false);
    const { work } = createWork({ isLeaseFree: false, pass: () => work.repeat(step, TASK) });
    work.start();
    await vi.advanceTimersByTimeAsync(3_000);
    expect(work.isActive).toBe(false);
    expect(step).not.toHaveBeenCalled();
    await work.stop();
  });

  it("interrupts a task with many steps in favor of other tasks", async () => {
    const turns: string[] = [];
    let left = 50;
    const { work } = createWork({
      async pass() {
        await work.repeat(async () => {
          turns.push("long");
          left -= 1;
          return left > 0;
        }, TASK);
        if (work.isActive) turns.push("other");
      },
    });
    work.start();
    await vi.advanceTimersByTimeAsync(3_000);
    expect(left).toBeLessThanOrEqual(0);
    expect(turns.indexOf("other")).toBeLessThan(turns.lastIndexOf("long"));
    await work.stop();
  });

  it("reloads after a notification about its subject only", async () => {
    let reloads = 0;
    const { work, notify } = createWork({
      async pass() {
        if (work.isReloadDue()) reloads += 1;
      },
    });
    work.start();
    await vi.advanceTimersByTimeAsync(1_500);
    const before = reloads;
    notify("another");
    await vi.advanceTimersByTimeAsync(0);
    expect(reloads).toBe(before);
    notify("changed");
    await vi.advanceTimersByTimeAsync(0);
    expect(reloads).toBe(before + 1);
    await work.stop();
  });

  it("reloads at the next poll if a pass failed", async () => {
    let reloads = 0;
    const { work, lines } = createWork({
      isLeaseFree: false,
      async pass() {
        if (!work.isReloadDue()) return;
        reloads += 1;
        if (reloads === 1) throw new Error("the database is away");
      },
    });
    work.start();
    await vi.advanceTimersByTimeAsync(3_000);
    expect(lines).toEqual(["passes failed: Error: the database is away", "passes work again"]);
    expect(reloads).toBe(2);
    await work.stop();
  });

  it.each(["pass", "delivery", "task"] as const)(
    "logs a %s that fails at each poll once, and once that it works again",
    async (failing) => {
      let isFailing = true;
      const failIf = async (name: string) => {
        if (isFailing && failing === name) throw new Error("away");
      };
      const { work, lines } = createWork({
        async pass() {
          await work.repeat(() => failIf("task").then(() => false), TASK);
          work.deliver();
          await failIf("pass");
        },
        queue: { deliverDue: () => failIf("delivery"), waitForIdle: async () => undefined },
      });
      work.start();
      await vi.advanceTimersByTimeAsync(10_000);
      expect(lines).toEqual([expect.stringMatching(/failed: Error: away$/)]);
      isFailing = false;
      await vi.advanceTimersByTimeAsync(10_000);
      expect(lines).toEqual([expect.anything(), expect.stringMatching(/again$/)]);
      await work.stop();
    },
  );

  it("notifies other processes of a change", async () => {
    const { work, published } = createWork();
    await work.publishChange();
    expect(published).toEqual(["changed"]);
  });

  it("stops without a long wait for a webhook that hangs", async () => {
    const { work } = createWork({
      pass: async () => work.deliver(),
      queue: { deliverDue: async () => undefined, waitForIdle: () => new Promise(() => undefined) },
    });
    work.start();
    await vi.advanceTimersByTimeAsync(0);
    const stopped = work.stop();
    await vi.advanceTimersByTimeAsync(2_000);
    await stopped;
  });
});

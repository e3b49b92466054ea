import { describe, expect, it, vi } from "vitest";
import { FairQueue, type FairQueueOptions } from "./fairQueue.ts";
import { TooManyRequestsError } from "./tooManyRequests.ts";

function queueOf(options: Partial<FairQueueOptions> = {}) {
  const queue = new FairQueue({
    concurrency: 2,
    maxWaiting: 100,
    maxWaitingPerKey: 50,
    maxWaitMs: 60_000,
    message: "busy",
    ...options,
  });
  const running: { name: string; finish(): void }[] = [];
  let maxRunning = 0;
  /** Jobs in the order in which they started. */
  const started: string[] = [];
  const run = (key: string | undefined, name: string, group?: string) => {
    const result = queue.run({ key, group }, async () => {
      started.push(name);
      await new Promise<void>((finish) => {
        running.push({ name, finish });
        maxRunning = Math.max(maxRunning, running.length);
      });
      return name;
    });
    result.catch(() => undefined);
    return result;
  };
  /** Finishes the oldest of the running jobs. */
  const finishOne = async () => {
    running.shift()?.finish();
    for (let i = 0; i < 5; i++) await Promise.resolve();
  };
  const finishAll = async () => {
    while (running.length > 0) await finishOne();
  };
  return { run, begun: started, running, finishOne, finishAll, maxRunning: () => maxRunning };
}

const rejection = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) =>
      error instanceof TooManyRequestsError
        ? [error.code, error.status, error.message, error.retryAfter]
        : error,
  );

describe("FairQueue", () => {
  it("runs at most the maximum number of jobs at once, and all of them eventually", async () => {
    const { run, begun: started, finishAll, maxRunning } = queueOf({ concurrency: 3 });
    const results = Array.from({ length: 40 }, (_, i) => run(`${i % 4}`, `${i}`));
    await finishAll();
    expect(await Promise.all(results)).toEqual(Array.from({ length: 40 }, (_, i) => `${i}`));
    expect(started).toHaveLength(40);
    expect(maxRunning()).toBe(3);
  });

  it("serves keys in turn, regardless of their number of waiting jobs", async () => {
    const { run, begun: started, finishAll } = queueOf({ concurrency: 1 });
    for (let i = 0; i < 6; i++) void run("greedy", `g${i}`);
    void run("ann", "ann");
    void run("bob", "bob");
    await finishAll();
    expect(started).toEqual(["g0", "g1", "ann", "bob", "g2", "g3", "g4", "g5"]);
  });

  it("runs the jobs of one group one after another, and other groups in parallel", async () => {
    const { run, begun: started, running, finishAll } = queueOf({ concurrency: 2 });
    for (let i = 0; i < 3; i++) void run("a", `batch${i}`, "batch");
    void run("a", "single", "single");
    expect(running.map(({ name }) => name)).toEqual(["batch0", "single"]);
    await finishAll();
    expect(started).toEqual(["batch0", "single", "batch1", "batch2"]);
  });

  it("rejects a key with too many waiting jobs with 155 and HTTP 429, but no other key", async () => {
    const { run, finishAll } = queueOf({ concurrency: 1, maxWaitingPerKey: 3 });
    const jobs = Array.from({ length: 6 }, (_, i) => run("a", `${i}`));
    const refusals = Promise.all(jobs.map(rejection));
    const other = run("b", "other");
    await finishAll();
    expect(await refusals).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      [155, 429, "busy", 5],
      [155, 429, "busy", 5],
    ]);
    expect(await other).toBe("other");
  });

  it("admits another key when it is full, by rejecting the last job of the key with the most jobs", async () => {
    const { run, begun: started, finishAll } = queueOf({ concurrency: 1, maxWaiting: 4 });
    const greedy = Array.from({ length: 5 }, (_, i) => run("greedy", `g${i}`));
    const other = run("ann", "ann");
    expect(await rejection(greedy[4] ?? other)).toEqual([155, 503, "busy", 5]);
    await finishAll();
    expect(await other).toBe("ann");
    expect(started).toEqual(["g0", "g1", "ann", "g2", "g3"]);
  });

  it("rejects with 155 and HTTP 503 when it is full of keys with one job each", async () => {
    const { run, finishAll } = queueOf({ concurrency: 1, maxWaiting: 2 });
    for (const key of ["a", "b", "c"]) void run(key, key);
    expect(await rejection(run("d", "d"))).toEqual([155, 503, "busy", 5]);
    await finishAll();
  });

  it("rejects a job that has waited too long, and frees its slot", async () => {
    vi.useFakeTimers();
    try {
      const { run, begun: started, finishAll } = queueOf({ concurrency: 1, maxWaiting: 1, maxWaitMs: 1_000 });
      void run("a", "running");
      const late = rejection(run("b", "late"));
      await vi.advanceTimersByTimeAsync(1_000);
      expect(await late).toEqual([155, 503, "busy", 5]);
      const next = run("c", "next");
      await finishAll();
      expect(await next).toBe("next");
      expect(started).toEqual(["running", "next"]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("continues after a job that fails", async () => {
    const queue = new FairQueue({
      concurrency: 1,
      maxWaiting: 10,
      maxWaitingPerKey: 10,
      maxWaitMs: 1_000,
      message: "busy",
    });
    const failed = queue.run({ key: "a" }, () => Promise.reject(new Error("broken")));
    const next = queue.run({ key: "a" }, async () => "next");
    await expect(failed).rejects.toThrow("broken");
    expect(await next).toBe("next");
  });

  it("does not count the server's own jobs toward the share of a key", async () => {
    const { run, finishAll } = queueOf({ concurrency: 1, maxWaitingPerKey: 1 });
    const jobs = Array.from({ length: 10 }, (_, i) => run(undefined, `${i}`));
    await finishAll();
    expect(await Promise.all(jobs)).toHaveLength(10);
  });
});

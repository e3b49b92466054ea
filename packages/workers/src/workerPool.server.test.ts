import { Worker } from "node:worker_threads";
import { afterEach, describe, expect, it } from "vitest";
import type { FixtureRequest } from "../test/fixtureWorker.ts";
import {
  WorkerAbortedError,
  WorkerExitedError,
  WorkerOverloadedError,
  WorkerPool,
  type WorkerPoolOptions,
  WorkerTimeoutError,
  WorkerUnavailableError,
} from "./index.ts";
import { READY } from "./messages.ts";

const silent = { warn: () => undefined, error: () => undefined };
const pools: WorkerPool<FixtureRequest, string>[] = [];

async function startPool(
  options: Partial<WorkerPoolOptions> = {},
): Promise<WorkerPool<FixtureRequest, string>> {
  const pool = new WorkerPool<FixtureRequest, string>({
    name: "fixture",
    spawn: () => new Worker(new URL("../test/fixtureWorker.ts", import.meta.url)),
    size: 1,
    maxQueued: 10,
    maxWaitMs: 60_000,
    timeoutMs: 60_000,
    logger: silent,
    ...options,
  });
  pools.push(pool);
  await pool.start();
  return pool;
}

afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.stop()));
});

describe("WorkerPool", () => {
  it("processes requests in order with a single worker", async () => {
    const pool = await startPool();
    const order: string[] = [];
    const calls = ["a", "b", "c"].map((text) =>
      pool.call({ kind: "echo", text }).then((answer) => order.push(answer)),
    );
    await Promise.all(calls);
    expect(order).toEqual(["a", "b", "c"]);
  });

  it("restores the errors that its worker throws", async () => {
    const pool = await startPool({
      deserializeError: ({ message, details }) => new RangeError(`${message} (${details})`),
    });
    await expect(pool.call({ kind: "throw", message: "no", code: 102 })).rejects.toThrow(
      new RangeError("no (102)"),
    );
  });

  it("rejects a request after its timeout, and processes the next one with another worker", async () => {
    const pool = await startPool();
    const blocked = pool.call({ kind: "block", ms: 600_000 }, { timeoutMs: 50 });
    const next = pool.call({ kind: "echo", text: "next" });
    await expect(blocked).rejects.toBeInstanceOf(WorkerTimeoutError);
    await expect(next).resolves.toBe("next");
    expect(pool.health()).toMatchObject([{ state: "ready", restarts: 1 }]);
  });

  it("stops idle workers except the minimum, and starts others when they are needed", async () => {
    const pool = await startPool({ size: 3, idleTimeoutMs: 20 });
    const calls = () => Promise.all(["a", "b", "c"].map((text) => pool.call({ kind: "echo", text })));
    await calls();
    await expect.poll(() => pool.health().length).toBe(1);
    expect(pool.health()).toMatchObject([{ state: "ready", restarts: 0 }]);
    expect(await calls()).toEqual(["a", "b", "c"]);
  });

  it("stops its last worker if the minimum is 0", async () => {
    const pool = await startPool({ minSize: 0, idleTimeoutMs: 20 });
    await pool.call({ kind: "echo", text: "a" });
    await expect.poll(() => pool.health()).toEqual([]);
    await expect(pool.call({ kind: "echo", text: "b" })).resolves.toBe("b");
  });

  it("keeps a worker whose request takes longer than the idle timeout", async () => {
    const pool = await startPool({ minSize: 0, idleTimeoutMs: 20 });
    await expect(pool.call({ kind: "block", ms: 100 })).resolves.toBeDefined();
  });

  it("does not count timeouts as failures", async () => {
    const pool = await startPool({ restart: { delaysMs: [0], maxFailures: 2, windowMs: 60_000 } });
    for (let i = 0; i < 4; i++) {
      await expect(pool.call({ kind: "block", ms: 600_000 }, { timeoutMs: 10 })).rejects.toBeInstanceOf(
        WorkerTimeoutError,
      );
    }
    await expect(pool.call({ kind: "echo", text: "still here" })).resolves.toBe("still here");
  });

  it("rejects the request of a worker that exits, and restarts the worker", async () => {
    const pool = await startPool({ restart: { delaysMs: [0], maxFailures: 5, windowMs: 60_000 } });
    await expect(pool.call({ kind: "exit" })).rejects.toBeInstanceOf(WorkerExitedError);
    await expect(pool.call({ kind: "echo", text: "restarted" })).resolves.toBe("restarted");
  });

  it("reports that it has failed, and rejects immediately, when its workers exit repeatedly", async () => {
    const pool = await startPool({ restart: { delaysMs: [0], maxFailures: 2, windowMs: 60_000 } });
    const calls = [pool.call({ kind: "exit" }), pool.call({ kind: "exit" }), pool.call({ kind: "exit" })];
    const results = await Promise.allSettled(calls);
    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    expect(results[2]).toMatchObject({ reason: expect.any(WorkerUnavailableError) });
    expect(pool.health()).toMatchObject([{ state: "failed" }]);
    await expect(pool.call({ kind: "echo", text: "x" })).rejects.toBeInstanceOf(WorkerUnavailableError);
  });

  it("rejects requests beyond the limit of its queue", async () => {
    const pool = await startPool({ maxQueued: 1 });
    const running = pool.call({ kind: "block", ms: 100 });
    const queued = pool.call({ kind: "echo", text: "queued" });
    await expect(pool.call({ kind: "echo", text: "too many" })).rejects.toBeInstanceOf(WorkerOverloadedError);
    await expect(Promise.all([running, queued])).resolves.toEqual(["unblocked", "queued"]);
  });

  it("rejects a request that waits too long for a worker", async () => {
    const pool = await startPool({ maxWaitMs: 20 });
    const running = pool.call({ kind: "block", ms: 600_000 }, { timeoutMs: 500 });
    await expect(pool.call({ kind: "echo", text: "waits" })).rejects.toBeInstanceOf(WorkerOverloadedError);
    await expect(running).rejects.toBeInstanceOf(WorkerTimeoutError);
  });

  it("starts further workers when requests wait", async () => {
    const pool = await startPool({ size: 2 });
    const blocked = expect(pool.call({ kind: "block", ms: 600_000 })).rejects.toThrow();
    await expect(pool.call({ kind: "echo", text: "beside" })).resolves.toBe("beside");
    expect(pool.running).toBe(1);
    await pool.stop();
    await blocked;
  });

  it("starts no further workers for requests that wait briefly", async () => {
    const pool = await startPool({ size: 2, growAfterMs: 600_000 });
    await Promise.all(["a", "b", "c"].map((text) => pool.call({ kind: "echo", text })));
    expect(pool.health()).toHaveLength(1);
  });

  it("starts another worker when a request has waited for growAfterMs", async () => {
    const pool = await startPool({ size: 2, growAfterMs: 50 });
    const blocked = expect(pool.call({ kind: "block", ms: 600_000 })).rejects.toThrow();
    await expect(pool.call({ kind: "echo", text: "beside" })).resolves.toBe("beside");
    expect(pool.running).toBe(1);
    await pool.stop();
    await blocked;
  });

  it("starts its first worker at once when it has none", async () => {
    const pool = await startPool({ minSize: 0, growAfterMs: 600_000 });
    await expect(pool.call({ kind: "echo", text: "first" })).resolves.toBe("first");
  });

  it("rejects running and waiting requests when it is stopped", async () => {
    const pool = await startPool();
    const calls = [pool.call({ kind: "block", ms: 600_000 }), pool.call({ kind: "echo", text: "waits" })];
    const results = Promise.allSettled(calls);
    await pool.stop();
    expect((await results).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    await expect(pool.call({ kind: "echo", text: "later" })).rejects.toBeInstanceOf(WorkerUnavailableError);
  });

  it("lets a thread that is not needed any more finish its start, as it may be loading native code", async () => {
    const states = new Int32Array(new SharedArrayBuffer(4));
    const code = `
      const { parentPort, workerData: states } = require("node:worker_threads");
      Atomics.store(states, 0, 1);
      Atomics.notify(states, 0);
      for (const until = performance.now() + 200; performance.now() < until; );
      Atomics.store(states, 0, 2);
      parentPort.postMessage(${JSON.stringify(READY)});
      parentPort.on("message", () => undefined);
    `;
    const starting = startPool({ spawn: () => new Worker(code, { eval: true, workerData: states }) });
    const begun = Atomics.waitAsync(states, 0, 0);
    await begun.value;
    const [pool] = pools;
    await Promise.all([pool?.stop(), starting]);
    expect(states[0]).toBe(2);
  });

  it("rejects start() when its worker cannot be loaded", async () => {
    const pool = startPool({ spawn: () => new Worker("throw new Error('cannot load')", { eval: true }) });
    await expect(pool).rejects.toThrow("cannot load");
  });

  it("rejects a request that cannot be sent to a thread, and stays usable", async () => {
    const pool = await startPool();
    const unsendable: FixtureRequest = Object.assign({ kind: "echo", text: "x" } as const, {
      call: () => undefined,
    });
    await expect(pool.call(unsendable)).rejects.toThrow("could not be cloned");
    await expect(pool.call({ kind: "echo", text: "fine" })).resolves.toBe("fine");
  });

  it("serves groups in turn, regardless of their number of requests", async () => {
    const pool = await startPool();
    const order: string[] = [];
    const call = (group: string, text: string) =>
      pool.call({ kind: "echo", text }, { group }).then((answer) => order.push(answer));
    const first = pool.call({ kind: "block", ms: 50 }, { group: "many" });
    const calls = [
      call("many", "many 1"),
      call("many", "many 2"),
      call("many", "many 3"),
      call("few", "few 1"),
    ];
    await Promise.all([first, ...calls]);
    expect(order.indexOf("few 1")).toBeLessThan(2);
  });

  it("admits a request to a full queue by rejecting one of the group with the most waiting requests", async () => {
    const pool = await startPool({ maxQueued: 3 });
    const running = pool.call({ kind: "block", ms: 50 }, { group: "many" });
    const many = [1, 2, 3].map((n) => pool.call({ kind: "echo", text: `many ${n}` }, { group: "many" }));
    const few = pool.call({ kind: "echo", text: "few" }, { group: "few" });
    const results = await Promise.allSettled([running, ...many, few]);
    expect(results.map(({ status }) => status)).toEqual([
      "fulfilled",
      "fulfilled",
      "fulfilled",
      "rejected",
      "fulfilled",
    ]);
  });

  it("rejects a request that its caller aborts, whether it waits or runs", async () => {
    const pool = await startPool();
    const controller = new AbortController();
    const { signal } = controller;
    const calls = [
      pool.call({ kind: "block", ms: 50 }, { signal }),
      pool.call({ kind: "exit" }, { signal }),
      pool.call({ kind: "echo", text: "another caller" }),
    ];
    const results = Promise.allSettled(calls);
    controller.abort();
    expect(await results).toMatchObject([
      { reason: expect.any(WorkerAbortedError) },
      { reason: expect.any(WorkerAbortedError) },
      { value: "another caller" },
    ]);
    expect(pool.health()).toMatchObject([{ restarts: 0 }]);
    await expect(pool.call({ kind: "echo", text: "late" }, { signal })).rejects.toBeInstanceOf(
      WorkerAbortedError,
    );
  });

  it("continues to restart workers that work between their exits", async () => {
    const pool = await startPool({ restart: { delaysMs: [0], maxFailures: 2, windowMs: 60_000 } });
    for (let i = 0; i < 3; i++) {
      await expect(pool.call({ kind: "exit" })).rejects.toBeInstanceOf(WorkerExitedError);
      await expect(pool.call({ kind: "echo", text: "works" })).resolves.toBe("works");
    }
    expect(pool.health()).toMatchObject([{ state: "ready", restarts: 3 }]);
  });

  it("reports once for each worker that it is not restarted any more", async () => {
    const failures: string[] = [];
    const pool = await startPool({
      restart: { delaysMs: [0], maxFailures: 1, windowMs: 60_000 },
      onFailed: (error) => failures.push(error.message),
    });
    await expect(pool.call({ kind: "exit" })).rejects.toBeInstanceOf(WorkerExitedError);
    expect(failures).toEqual(["fixture 1 ended with code 1"]);
  });

  it("rejects a request whose result cannot be sent to a thread, and stays usable", async () => {
    const pool = await startPool();
    await expect(pool.call({ kind: "unsendable" })).rejects.toThrow("could not be cloned");
    await expect(pool.call({ kind: "echo", text: "fine" })).resolves.toBe("fine");
    expect(pool.health()).toMatchObject([{ restarts: 0 }]);
  });
});

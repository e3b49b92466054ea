import { performance } from "node:perf_hooks";
import type { WorkerHealth } from "@purse/workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { DrainState } from "../core/drainState.ts";
import { indexerHealth } from "./indexerHealth.ts";
import { createMetrics } from "./metrics.ts";
import { createMonitoringRoutes } from "./monitoringRoutes.ts";

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

interface Database {
  answers: boolean;
  /** What a read waits for. */
  silence(): Promise<void>;
  problem: string | undefined;
  /** The problem that a write reveals, once there was one. */
  problemAfterWrite?: string;
  /** Other unavailable services. */
  degradations?: string[];
}

/** Returns the reply of `/ready` with these workers and this database. */
async function readyWith(
  workers: WorkerHealth[],
  database: Partial<Database> = {},
  drainState = new DrainState(),
) {
  return readyOf(routesWith(workers, database, drainState));
}

async function readyOf(routes: ReturnType<typeof createMonitoringRoutes>) {
  const { status, body } = await routes.ready();
  return { code: status, ...JSON.parse(body) };
}

function routesWith(workers: WorkerHealth[], database: Partial<Database>, drainState = new DrainState()) {
  const { answers = true, problem, problemAfterWrite, degradations = [] }: Partial<Database> = database;
  let current = problem;
  const metrics = createMetrics();
  closers.push(() => metrics.close());
  return createMonitoringRoutes({
    metrics,
    store: {
      getUniqueOwner: async () => {
        await database.silence?.();
        if (!answers) throw new Error("the connection is gone");
        return undefined;
      },
      unavailableReason: () => current,
      probeWrite: async () => {
        current = problemAfterWrite;
      },
    },
    workers: () => workers,
    degradations: () => degradations,
    drainState,
    verifyMasterKey: () => undefined,
    metricsIps: [],
    clientAddressOf: () => "127.0.0.1",
    isFromTrustedProxy: () => false,
  });
}

const indexer = (state: WorkerHealth["state"]): WorkerHealth => ({
  name: "chain indexer",
  state,
  restarts: 3,
  lastError: "/srv/data/x",
});

describe("/ready", () => {
  it("returns 200 with the services that are down if the server works without them", async () => {
    const reply = await readyWith([], { degradations: ["Valkey does not respond"] });
    expect(reply).toMatchObject({ code: 200, status: "ready", degraded: ["Valkey does not respond"] });
  });

  it("returns 503 while the server drains, unless another process has taken over", async () => {
    const drainState = new DrainState();
    drainState.begin({ isReplaced: false });
    expect(await readyWith([], {}, drainState)).toEqual({ code: 503, status: "draining" });
    const replaced = new DrainState();
    replaced.begin({ isReplaced: true });
    expect(await readyWith([], {}, replaced)).toMatchObject({ code: 200, status: "ready" });
  });

  it.each(["ready", "restarting"] as const)(
    "returns 200 while the state of a worker is %s",
    async (state) => {
      expect(await readyWith([indexer(state)])).toEqual({
        code: 200,
        status: "ready",
        workers: [{ name: "chain indexer", state, restarts: 3 }],
      });
    },
  );

  it("returns 503 with the name of a worker that has failed permanently", async () => {
    expect(await readyWith([indexer("failed")])).toMatchObject({
      code: 503,
      status: "unavailable",
      error: "The chain indexer has failed and will not be restarted",
    });
  });

  it("returns 503 if the database does not respond, without the reason", async () => {
    expect(await readyWith([], { answers: false })).toMatchObject({
      code: 503,
      status: "unavailable",
      error: "The database does not respond",
    });
  });

  it("returns 503 within a second while the database is silent, at once if that is known, and 200 when it is back", async () => {
    vi.useFakeTimers();
    const clock = vi.spyOn(performance, "now").mockImplementation(() => Date.now());
    closers.push(
      () => vi.useRealTimers(),
      () => clock.mockRestore(),
    );
    let silence = Promise.withResolvers<void>();
    let reads = 0;
    const routes = routesWith([], {
      silence: () => {
        reads += 1;
        return silence.promise;
      },
    });
    const replyWithin = async (ms: number) => {
      const reply = readyOf(routes);
      await vi.advanceTimersByTimeAsync(ms);
      return Promise.race([reply, "no reply"]);
    };
    const unavailable = { code: 503, error: "The database does not respond" };
    expect(await replyWithin(800)).toMatchObject(unavailable);
    expect(await replyWithin(1)).toMatchObject(unavailable);
    expect(reads).toBe(1);
    silence.resolve();
    await vi.advanceTimersByTimeAsync(0);
    expect(await replyWithin(1)).toMatchObject({ code: 200 });

    // It has just responded: a slow response is no outage yet.
    silence = Promise.withResolvers<void>();
    expect(await replyWithin(1)).toBe("no reply");
    expect(await replyWithin(800)).toMatchObject({ code: 200 });
    await vi.advanceTimersByTimeAsync(1_500);
    expect(await replyWithin(1)).toMatchObject(unavailable);
  });

  it("returns 503 while the database cannot be written, and 200 once a write succeeds", async () => {
    const problem = "The disk is full";
    expect(await readyWith([], { problem, problemAfterWrite: problem })).toMatchObject({
      code: 503,
      error: problem,
    });
    expect(await readyWith([], { problem })).toMatchObject({ code: 200 });
  });
});

it("/health shows the state of the indexer without the reason of a failure", () => {
  expect(indexerHealth(() => indexer("restarting"))).toEqual({ state: "restarting", restarts: 3 });
  expect(indexerHealth(() => undefined)).toBeUndefined();
});

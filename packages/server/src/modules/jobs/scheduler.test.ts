import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "@purse/protocol";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { ScheduleDefinition } from "../../cloud/workerMessages.ts";
import { createLogger } from "../../core/logger.ts";
import type { Schedule } from "../../core/schedule.ts";
import { openSchemas } from "../../data/schema/openSchemas.ts";
import type { Schemas } from "../../data/schema/schemas.ts";
import { systemClasses } from "../../data/schema/systemClasses.ts";
import { openStore } from "../../database/openStore.ts";
import type { Store } from "../../database/store.ts";
import { jobRules } from "./jobRules.ts";
import { JobService } from "./jobService.ts";
import { missingTime, parseSchedule, scheduleProblem } from "./schedule.ts";
import { Scheduler } from "./scheduler.ts";

const MINUTE = 60_000;
const START = Date.parse("2026-01-01T00:00:30.000Z");
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** A store, and a clock that the test sets. */
async function openCluster() {
  const folder = await mkdtemp(join(tmpdir(), "purse-jobs-"));
  const store = await openStore({ kind: "sqlite", path: join(folder, "purse.sqlite") });
  const schemas = await openSchemas(store, systemClasses(jobRules({ compatibility: "strict" })));
  closers.push(async () => {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });
  return { store, schemas, time: { now: START } };
}

/** One process of a cluster. */
function createProcess({ store, schemas, time }: { store: Store; schemas: Schemas; time: { now: number } }) {
  const ran: string[] = [];
  const clock = () => time.now;
  const schemaOf = (className: string) => schemas.require(className);
  const logger = createLogger({ level: "silent", format: "text", write: () => undefined });
  let isHeld: Promise<undefined> | undefined;
  const run = async (name: string) => {
    ran.push(name);
    return isHeld;
  };
  /** Lets jobs run until a promise resolves. */
  const hold = (until: Promise<undefined>) => {
    isHeld = until;
  };
  const jobs = new JobService({ store, schemaOf, names: () => ["clean"], run, clock, logger });
  const scheduler = new Scheduler({ store, schemaOf, jobs, clock, logger });
  closers.push(() => scheduler.stop());
  return { ran, scheduler, jobs, hold };
}

const everyMinute = (more: Partial<ScheduleDefinition> = {}): ScheduleDefinition => ({
  jobName: "clean",
  cron: "* * * * *",
  params: {},
  catchUp: "skip",
  deadlineMs: undefined,
  ...more,
});

describe("a schedule", () => {
  it("runs at its times, starting with the first one after its creation", async () => {
    const cluster = await openCluster();
    const { ran, scheduler } = createProcess(cluster);
    scheduler.setCodeSchedules([everyMinute()]);
    await scheduler.runDueJobs();
    expect(ran).toEqual([]);
    cluster.time.now += 29_000;
    await scheduler.runDueJobs();
    expect(ran).toEqual([]);
    cluster.time.now += 1_000;
    await scheduler.runDueJobs();
    await scheduler.runDueJobs();
    expect(ran).toEqual(["clean"]);
    cluster.time.now += MINUTE;
    await scheduler.runDueJobs();
    expect(ran).toEqual(["clean", "clean"]);
  });

  it("runs in only one of several processes", async () => {
    const cluster = await openCluster();
    const processes = [createProcess(cluster), createProcess(cluster), createProcess(cluster)];
    for (const { scheduler } of processes) scheduler.setCodeSchedules([everyMinute()]);
    for (let minute = 0; minute < 4; minute += 1) {
      await Promise.all(processes.map(({ scheduler }) => scheduler.runDueJobs()));
      cluster.time.now += MINUTE;
    }
    expect(processes.flatMap(({ ran }) => ran)).toHaveLength(3);
  });

  it.each<["skip" | "once", number]>([
    ["skip", 0],
    ["once", 1],
  ])("catches up on missed runs by its policy: %s", async (catchUp, runs) => {
    const cluster = await openCluster();
    const before = createProcess(cluster);
    before.scheduler.setCodeSchedules([everyMinute({ cron: "0 * * * *", catchUp })]);
    await before.scheduler.runDueJobs();
    cluster.time.now += 5.5 * 60 * MINUTE;
    const after = createProcess(cluster);
    after.scheduler.setCodeSchedules([everyMinute({ cron: "0 * * * *", catchUp })]);
    await after.scheduler.runDueJobs();
    expect(after.ran).toHaveLength(runs);
    cluster.time.now += 30 * MINUTE;
    await after.scheduler.runDueJobs();
    expect(after.ran).toHaveLength(runs + 1);
  });
});

it("finds the last of the 86,400 times that a schedule of each second has missed in a day with few calls", async () => {
  const cluster = await openCluster();
  const { ran, scheduler } = createProcess(cluster);
  let calls = 0;
  const next = (after: number) => {
    calls += 1;
    return (Math.floor(after / 1_000) + 1) * 1_000;
  };
  const schedule: Schedule = {
    key: "each second",
    jobName: "clean",
    params: {},
    catchUp: "skip",
    deadlineMs: undefined,
    rowId: undefined,
    changedAt: undefined,
    onlyTime: undefined,
    next,
  };
  scheduler.addLoader(async () => [schedule]);
  await scheduler.runDueJobs();
  cluster.time.now += 24 * 60 * MINUTE;
  await scheduler.runDueJobs();
  // The last one is due now, and so not missed.
  expect(ran).toEqual(["clean"]);
  expect(calls).toBeLessThan(20);
});

it("writes nothing while no schedule is due", async () => {
  const cluster = await openCluster();
  const { scheduler } = createProcess(cluster);
  scheduler.setCodeSchedules([everyMinute({ cron: "0 * * * *" })]);
  await scheduler.runDueJobs();
  const write = vi.spyOn(cluster.store, "write");
  for (let second = 0; second < 90; second += 1) {
    cluster.time.now += 1_000;
    await scheduler.runDueJobs();
  }
  expect(write).not.toHaveBeenCalled();
});

describe("a schedule whose clock jumps", () => {
  it.each([
    ["an hour", 60 * MINUTE],
    ["a day", 24 * 60 * MINUTE],
  ])("runs at its times again after the clock was %s ahead and is corrected", async (_, jump) => {
    const cluster = await openCluster();
    const { ran, scheduler } = createProcess(cluster);
    scheduler.setCodeSchedules([everyMinute()]);
    await scheduler.runDueJobs();
    cluster.time.now += MINUTE;
    await scheduler.runDueJobs();
    expect(ran).toHaveLength(1);
    cluster.time.now += jump;
    await scheduler.runDueJobs();
    const before = ran.length;
    expect(before).toBeLessThanOrEqual(2);
    cluster.time.now -= jump;
    await scheduler.runDueJobs();
    for (let minute = 1; minute <= 3; minute += 1) {
      cluster.time.now += MINUTE;
      await scheduler.runDueJobs();
      await scheduler.runDueJobs();
      expect(ran.length - before).toBe(minute);
    }
  });
});

describe("a job whose process was frozen", () => {
  it("stays failed when the process resumes and finishes it", async () => {
    const cluster = await openCluster();
    // Later than the clock by which the store expires unique keys.
    cluster.time.now = Date.parse("2100-01-01T00:00:30.000Z");
    const frozen = createProcess(cluster);
    const request = {
      auth: { kind: "master" as const },
      installationId: undefined,
      context: {},
      ip: "",
      requestId: "",
    };
    const held = Promise.withResolvers<undefined>();
    frozen.hold(held.promise);
    const { id, ended } = await frozen.jobs.start("clean", {}, "api", request);
    // As if its reservation had expired.
    await cluster.store.write([{ kind: "releaseUnique", scope: "job", value: id }]);
    cluster.time.now += 2 * MINUTE;
    await createProcess(cluster).jobs.failOrphanedJobs();
    held.resolve(undefined);
    await ended;
    const text = await cluster.store.get(cluster.schemas.require("_JobStatus"), id, null);
    expect(JSON.parse(String(text))).toMatchObject({ status: "failed" });
  });
});

describe("a job whose process has ended", () => {
  it("is marked as failed", async () => {
    const cluster = await openCluster();
    const dead = createProcess(cluster);
    const request = {
      auth: { kind: "master" as const },
      installationId: undefined,
      context: {},
      ip: "",
      requestId: "",
    };
    const schema = cluster.schemas.require("_JobStatus");
    const iso = new Date(cluster.time.now).toISOString();
    const object = { objectId: "lost", createdAt: iso, updatedAt: iso, jobName: "clean", status: "running" };
    await cluster.store.write([{ kind: "create", schema, id: "lost", at: iso, object }]);
    const { ended } = await dead.jobs.start("clean", {}, "api", request);
    await ended;
    cluster.time.now += 2 * MINUTE;
    await createProcess(cluster).jobs.failOrphanedJobs();
    const text = await cluster.store.get(schema, "lost", null);
    expect(JSON.parse(String(text))).toMatchObject({
      status: "failed",
      message: expect.stringContaining("ended"),
    });
  });
});

describe("a row of _JobSchedule", () => {
  const times = (row: object, from = "2026-01-01T00:00:00.000Z") => {
    const { next } = parseSchedule({ objectId: "x", jobName: "clean", ...row });
    const first = next(Date.parse(from));
    const second = first === undefined ? undefined : next(first);
    return [first, second].map((time) => (time === undefined ? undefined : new Date(time).toISOString()));
  };

  it.each<[object, (string | undefined)[]]>([
    [{ cron: "30 4 * * *" }, ["2026-01-01T04:30:00.000Z", "2026-01-02T04:30:00.000Z"]],
    [{ startAfter: "2026-02-01T00:00:00.000Z" }, ["2026-02-01T00:00:00.000Z", undefined]],
    [{ startAfter: "2026-02-01 06:00" }, ["2026-02-01T06:00:00.000Z", undefined]],
    [
      { startAfter: "2025-12-31T23:50:00.000Z", repeatMinutes: 15 },
      ["2026-01-01T00:05:00.000Z", "2026-01-01T00:20:00.000Z"],
    ],
    [
      { daysOfWeek: ["1", "5"], timeOfDay: "13:30:00.000Z" },
      ["2026-01-02T13:30:00.000Z", "2026-01-05T13:30:00.000Z"],
    ],
  ])("is scheduled by %j", (row, expected) => {
    expect(times(row)).toEqual(expected);
  });

  it.each<JsonObject>([
    {},
    { jobName: "a", cron: "x" },
    { jobName: "a", startAfter: "soon" },
    { jobName: "a", startAfter: "2026-02-30T00:00:00.000Z" },
    { jobName: "a", cron: "* * * * *", params: "[" },
    { jobName: "a", cron: "* * * * *", catchUp: "always" },
    { jobName: "a", daysOfWeek: ["9"], timeOfDay: "13:30" },
  ])("that is invalid is rejected: %j", (row) => {
    expect(scheduleProblem(row)).toBeTypeOf("string");
  });

  it("without a time never runs, which is reported", () => {
    expect(times({})).toEqual([undefined, undefined]);
    expect(missingTime({ jobName: "a" })).toBeTypeOf("string");
    expect(missingTime({ jobName: "a", cron: "" })).toBeTypeOf("string");
    expect(missingTime({ jobName: "a", startAfter: "2026-02-01T00:00:00.000Z" })).toBeUndefined();
    expect(missingTime({ jobName: "a", daysOfWeek: ["1"] })).toBeUndefined();
  });
});

import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createLogger } from "../core/logger.ts";
import { openSchemas } from "../data/schema/openSchemas.ts";
import { openStudioClasses } from "../data/schema/studioClasses.ts";
import { systemClasses } from "../data/schema/systemClasses.ts";
import { openStore } from "../database/openStore.ts";
import type { BackupMethod } from "../dataTransfer/backupMethod.ts";
import { jobRules } from "../modules/jobs/jobRules.ts";
import { JobService } from "../modules/jobs/jobService.ts";
import { Scheduler } from "../modules/jobs/scheduler.ts";
import { BACKUP_JOB, BackupSchedule } from "./backupSchedule.ts";
import { Backups } from "./backups.ts";

const HOUR = 3_600_000;
const START = Date.parse("2026-01-01T00:30:00.000Z");

let folder: string;
const closers: (() => Promise<unknown>)[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "purse-backups-"));
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  rmSync(folder, { recursive: true });
});

/** A server with a clock that the test sets, whose backups are empty files; `breaks` says why the next ones fail. */
async function openServer() {
  const store = await openStore({ kind: "sqlite", path: join(folder, "purse.sqlite") });
  closers.push(() => store.close());
  const schemas = await openSchemas(store, systemClasses(jobRules({ compatibility: "strict" })));
  const schemaOf = (className: string) => schemas.require(className);
  const logger = createLogger({ level: "silent", format: "text", write: () => undefined });
  const state: { now: number; breaks: string | undefined } = { now: START, breaks: undefined };
  const clock = () => state.now;
  const method: BackupMethod = {
    extension: ".sqlite",
    contentType: "",
    unit: "pages",
    async create(file) {
      if (state.breaks !== undefined) throw new Error(state.breaks);
      writeFileSync(file, "copy");
    },
    isOnlyServer: async () => true,
    check: async () => undefined,
    stagedFile: "",
    stage: () => expect.unreachable(),
    deleteStaged: expect.unreachable,
    replace: expect.unreachable,
    revert: expect.unreachable,
  };
  const backups = new Backups({
    method,
    folder: join(folder, "backups"),
    backupsStore: { kind: "disk" },
    logger,
    clock,
  });
  const failures: string[] = [];
  const jobs = new JobService({
    store,
    schemaOf,
    clock,
    logger,
    names: () => [],
    run: expect.unreachable,
    onFailed: (name, message) => failures.push(`${name}: ${message}`),
  });
  const scheduler = new Scheduler({ store, schemaOf, jobs, clock, logger });
  closers.push(() => scheduler.stop());
  const schedule = new BackupSchedule({
    store,
    classes: await openStudioClasses(store),
    clock,
    backups,
    schemaOf,
    onChange: () => scheduler.invalidate(),
  });
  scheduler.addLoader(() => schedule.load());
  /** Moves the clock, and waits for what is due then. */
  const advance = async (ms: number) => {
    state.now += ms;
    await scheduler.runDueJobs();
    await expect.poll(async () => (await schedule.getState()).lastScheduled?.status).not.toBe("running");
  };
  return { state, backups, jobs, schedule, failures, advance };
}

const files = () => readdirSync(join(folder, "backups")).sort();

it("BackupSchedule creates backups at its times, and keeps only the newest scheduled ones", async () => {
  const { backups, schedule, advance } = await openServer();
  const manual = await backups.begin();
  await backups.createScheduled(9);
  expect(await schedule.set({ cron: " 0  * * * *", keep: 2 })).toEqual({
    cron: "0 * * * *",
    keep: 2,
    nextAt: "2026-01-01T01:00:00.000Z",
  });
  await advance(0);
  expect(files()).toHaveLength(2);
  const seen: string[][] = [];
  for (let hour = 0; hour < 3; hour += 1) {
    await advance(HOUR);
    seen.push(files().filter((name) => name.startsWith("purse-scheduled-")));
  }
  const [first = [], second = [], third = []] = seen;
  expect([first.length, second.length, third.length]).toEqual([2, 2, 2]);
  // The older one is replaced each time, and a manual one stays.
  expect(second).toContain(first[1]);
  expect(second).not.toContain(first[0]);
  expect(third).toContain(second[1]);
  expect(files()).toContain(manual);
  expect(await schedule.getState()).toMatchObject({
    schedule: { nextAt: "2026-01-01T04:00:00.000Z" },
    lastScheduled: { status: "succeeded", message: third[1] },
  });
  expect((await backups.getState()).backups.filter(({ origin }) => origin === "scheduled")).toHaveLength(2);

  await schedule.remove();
  await advance(2 * HOUR);
  expect(files().filter((name) => name.startsWith("purse-scheduled-"))).toEqual(third);
  expect((await schedule.getState()).schedule).toBeUndefined();

  // Nothing was missed while there was no schedule.
  await schedule.set({ cron: "0 * * * *", keep: 2 });
  for (let i = 0; i < 3; i++) await advance(0);
  expect(files().filter((name) => name.startsWith("purse-scheduled-"))).toEqual(third);
  await advance(HOUR);
  expect(files()).toContain(third[1]);
  expect(files()).not.toContain(third[0]);
});

it("BackupSchedule reports a failed backup, and creates one that was missed", async () => {
  const { state, schedule, failures, advance } = await openServer();
  await schedule.set({ cron: "0 3 * * *", keep: 3 });
  await advance(0);
  state.breaks = "the disk is full";
  await advance(3 * HOUR);
  expect(failures).toEqual([`${BACKUP_JOB}: the disk is full`]);
  expect((await schedule.getState()).lastScheduled).toEqual({
    at: "2026-01-01T03:30:00.000Z",
    status: "failed",
    message: "the disk is full",
  });
  // The server was down for two days.
  state.breaks = undefined;
  await advance(51 * HOUR);
  expect(files()).toHaveLength(1);
  expect((await schedule.getState()).lastScheduled).toMatchObject({
    status: "succeeded",
    message: files()[0],
  });
});

it("BackupSchedule refuses expressions that are not cron expressions with five fields", async () => {
  const { schedule, jobs } = await openServer();
  for (const cron of ["", "* * * * * *", "@daily", "61 * * * *", "a b c d e"])
    await expect(schedule.set({ cron, keep: 1 })).rejects.toMatchObject({ code: 142 });
  expect(await schedule.get()).toBeUndefined();
  // Requests cannot start it as a job, since only owners create backups.
  const request = {
    auth: { kind: "master" },
    installationId: undefined,
    context: {},
    ip: "",
    requestId: "",
  } as const;
  await expect(jobs.start(BACKUP_JOB, {}, "api", request)).rejects.toMatchObject({ code: 141 });
});

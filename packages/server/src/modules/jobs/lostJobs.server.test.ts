import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type JsonObject, parseQuery } from "@purse/protocol";
import { afterEach, describe, expect, it } from "vitest";
import { createDatabase } from "../../../test/postgresDatabase.ts";
import { DATABASES } from "../../../test/storeCopies.ts";
import { createLogger } from "../../core/logger.ts";
import { openSchemas } from "../../data/schema/openSchemas.ts";
import { systemClasses } from "../../data/schema/systemClasses.ts";
import { openStore } from "../../database/openStore.ts";
import type { Store, Write } from "../../database/store.ts";
import { jobRules } from "./jobRules.ts";
import { JobService } from "./jobService.ts";
import { Scheduler } from "./scheduler.ts";

const SECOND = 1_000;
const START = Date.parse("2026-01-01T00:00:30.000Z");
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function openDatabase(kind: "SQLite" | "PostgreSQL"): Promise<Store> {
  if (kind === "SQLite") {
    const folder = await mkdtemp(join(tmpdir(), "purse-jobs-"));
    closers.push(() => rm(folder, { recursive: true, force: true }));
    return openStore({ kind: "sqlite", path: join(folder, "purse.sqlite") });
  }
  return openStore({ kind: "postgres", url: await createDatabase(), connections: 2 });
}

type StoreWrite = Store["write"];

/** A database with processes that share a clock, which the test sets. */
async function openCluster(kind: "SQLite" | "PostgreSQL") {
  const store = await openDatabase(kind);
  closers.push(() => store.close());
  const schemas = await openSchemas(store, systemClasses(jobRules({ compatibility: "strict" })));
  const schemaOf = (className: string) => schemas.require(className);
  const time = { now: START };
  const logger = createLogger({ level: "silent", format: "text", write: () => undefined });
  const ran: string[] = [];

  /** Creates a process; `write` replaces how it writes to the database. */
  function createProcess(write?: (write: StoreWrite, writes: Write[]) => ReturnType<StoreWrite>) {
    const ownStore: Store = write ? { ...store, write: (writes) => write(store.write, writes) } : store;
    const shared = { store: ownStore, schemaOf, clock: () => time.now, logger };
    const run = async (name: string) => {
      ran.push(name);
      return undefined;
    };
    const jobs = new JobService({ ...shared, names: () => ["clean"], run });
    const scheduler = new Scheduler({ ...shared, jobs });
    closers.push(() => scheduler.stop());
    return scheduler;
  }

  async function schedule(id: string, afterMs: number, fields: JsonObject = {}) {
    const at = new Date(time.now).toISOString();
    const startAfter = new Date(time.now + afterMs).toISOString();
    const object = { objectId: id, createdAt: at, updatedAt: at, jobName: "clean", startAfter, ...fields };
    await store.write([{ kind: "create", schema: schemaOf("_JobSchedule"), id, at, object }]);
  }

  async function statuses(): Promise<JsonObject[]> {
    const { where } = parseQuery("_JobStatus", {});
    const schema = schemaOf("_JobStatus");
    const texts = await store.find({ schema, where, order: [], limit: 100, skip: 0, subjects: null });
    return texts.map((text): JsonObject => JSON.parse(text));
  }

  return { time, ran, createProcess, schedule, statuses };
}

const startsJob = (writes: Write[]) => writes.some(({ kind }) => kind === "create");

describe.each(DATABASES)("a job that was scheduled on %s", (kind) => {
  it("runs in another process, or is marked as failed, wherever its process ends", async () => {
    const { time, ran, createProcess, schedule, statuses } = await openCluster(kind);
    await schedule("one", 2 * SECOND);
    // Its process ends before any process has read the schedule, and others read it after it was due.
    time.now += 10 * SECOND;
    const endsBefore = createProcess(async (write, writes) => {
      if (startsJob(writes)) throw new Error("the process ended");
      return write(writes);
    });
    await endsBefore.runDueJobs();
    await endsBefore.runDueJobs();
    expect(await statuses()).toEqual([]);
    const next = createProcess();
    await next.runDueJobs();
    await expect.poll(statuses).toMatchObject([{ jobName: "clean", status: "succeeded" }]);
    expect(ran).toEqual(["clean"]);

    await schedule("two", 2 * SECOND);
    next.invalidate();
    await next.runDueJobs();
    const endsAfter = createProcess(async (write, writes) => {
      const results = await write(writes);
      if (startsJob(writes)) throw new Error("the process ended");
      return results;
    });
    time.now += 3 * SECOND;
    await endsAfter.runDueJobs();
    time.now += 100 * SECOND;
    await next.runDueJobs();
    expect((await statuses()).map(({ status }) => status).sort()).toEqual(["failed", "succeeded"]);
    expect(ran).toEqual(["clean"]);
  });

  it("runs if its time passed while it was being stored, but not if it was already old", async () => {
    const { ran, createProcess, schedule, statuses } = await openCluster(kind);
    await schedule("late", -5 * SECOND);
    await schedule("imported", -600 * SECOND);
    const process = createProcess();
    for (let i = 0; i < 3; i++) await process.runDueJobs();
    await expect.poll(statuses).toMatchObject([{ jobName: "clean", status: "succeeded" }]);
    expect(ran).toEqual(["clean"]);
  });

  it("is marked as failed if it was missed or is not defined", async () => {
    const { time, ran, createProcess, schedule, statuses } = await openCluster(kind);
    await schedule("missed", 2 * SECOND);
    await schedule("unknown", 100 * SECOND, { jobName: "unknown" });
    await schedule("repeated", 2 * SECOND, { repeatMinutes: 60 });
    time.now += 110 * SECOND;
    const [one, two] = [createProcess(), createProcess()];
    for (let i = 0; i < 2; i++) await Promise.all([one.runDueJobs(), two.runDueJobs()]);
    await one.runDueJobs();
    const found = await statuses();
    expect(found.map(({ jobName, status }) => [jobName, status]).sort()).toEqual([
      ["clean", "failed"],
      ["unknown", "failed"],
    ]);
    expect(found.map(({ message }) => message)).toContainEqual(expect.stringContaining("missed"));
    expect(ran).toEqual([]);
  });
});

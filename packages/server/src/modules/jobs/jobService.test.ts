import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { MASTER, type RequestContext } from "../../core/authContext.ts";
import { createLogger } from "../../core/logger.ts";
import { openSchemas } from "../../data/schema/openSchemas.ts";
import { systemClasses } from "../../data/schema/systemClasses.ts";
import { openStore } from "../../database/openStore.ts";
import { jobRules } from "./jobRules.ts";
import { JobService } from "./jobService.ts";

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const START: RequestContext = {
  auth: MASTER,
  installationId: undefined,
  context: {},
  ip: "",
  requestId: "",
};

/** Starts a job by its route; returns its status once the route has responded. */
async function statusAfterStart(run: () => Promise<undefined>, patienceMs: number): Promise<unknown> {
  const folder = await mkdtemp(join(tmpdir(), "purse-jobs-"));
  const store = await openStore({ kind: "sqlite", path: join(folder, "purse.sqlite") });
  const schemas = await openSchemas(store, systemClasses(jobRules({ compatibility: "strict" })));
  const schemaOf = (className: string) => schemas.require(className);
  const logger = createLogger({ level: "silent", format: "text", write: () => undefined });
  const jobs = new JobService({
    store,
    schemaOf,
    names: () => ["tidy"],
    run,
    clock: Date.now,
    logger,
    maxStartWaitMs: patienceMs,
  });
  closers.push(async () => {
    await jobs.stop();
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });
  const id = await jobs.startOnRequest("tidy", {}, START);
  return JSON.parse((await store.get(schemaOf("_JobStatus"), id, null)) ?? "{}").status;
}

describe("a job that a request starts", () => {
  it("has ended before the response if it ends immediately", async () => {
    expect(await statusAfterStart(async () => undefined, 60_000)).toBe("succeeded");
    expect(await statusAfterStart(() => Promise.reject(new Error("no")), 60_000)).toBe("failed");
  });

  it("continues after the response if it takes longer", async () => {
    expect(await statusAfterStart(() => new Promise(() => undefined), 5)).toBe("running");
  });
});

import type { Cloud } from "../cloud/index.ts";
import type { Config } from "../config/loadConfig.ts";
import type { EventBus } from "../core/eventBus.ts";
import type { ApiRoute } from "../core/http/apiRoute.ts";
import type { Logger } from "../core/logger.ts";
import type { ClassRules } from "../data/objects/classRules.ts";
import type { Objects } from "../data/objects/objects.ts";
import type { WriteRequest } from "../data/objects/writeOptions.ts";
import type { Schemas } from "../data/schema/schemas.ts";
import type { Store } from "../database/store.ts";
import { jobRoutes } from "./jobRoutes.ts";
import { jobRules } from "./jobRules.ts";
import { JobService } from "./jobService.ts";
import type { Schedule } from "./schedule.ts";
import { scheduleRoutes } from "./scheduleRoutes.ts";
import { Scheduler } from "./scheduler.ts";

/** Sent to the other processes when a stored schedule has changed. */
const SCHEDULES_CHANGED = "schedules";

export interface JobsDependencies {
  config: Pick<Config, "compatibility">;
  store: Store;
  schemas: Schemas;
  objects: Objects;
  cloud: Pick<Cloud, "definitions" | "runJob">;
  events: EventBus;
  logger: Logger;
}

export interface Jobs {
  service: JobService;
  rules: readonly ClassRules[];
  routes: ApiRoute<WriteRequest>[];
  /** Adds schedules of the server itself. Call `schedulesChanged` when `load` would return others. */
  addSchedules(load: () => Promise<Schedule[]>): void;
  /** Makes all processes load the schedules again. */
  schedulesChanged(): void;
  start(): void;
  stop(): Promise<void>;
}

/** Creates the jobs of the cloud code: running them on request and by schedule. */
export function createJobs({
  config,
  store,
  schemas,
  objects,
  cloud,
  events,
  logger,
}: JobsDependencies): Jobs {
  const shared = {
    store,
    schemaOf: (className: string) => schemas.require(className),
    clock: store.now,
    logger,
  };
  const jobNames = () => cloud.definitions().jobs;
  const service = new JobService({
    ...shared,
    names: jobNames,
    onFailed: (name, message) => events.emit("job.failed", { name, message }),
    async run(name, params, jobId, request) {
      const { value } = await cloud.runJob(name, params, jobId, request);
      return typeof value === "string" ? value : undefined;
    },
  });
  const scheduler = new Scheduler({ ...shared, jobs: service });
  events.on("cloud.defined", ({ schedules }) => scheduler.setCodeSchedules(schedules));
  const schedulesChanged = () => {
    scheduler.invalidate();
    store.publish(SCHEDULES_CHANGED).catch((error: unknown) => {
      logger.warn("other processes were not notified of a changed schedule", { error: String(error) });
    });
  };
  events.on("objects.changed", ({ className }) => {
    if (className === "_JobSchedule") schedulesChanged();
  });
  // Due jobs may run in another process than the one that stores their schedules.
  const unsubscribe = store.subscribe((message) => {
    if (message === undefined || message === SCHEDULES_CHANGED) scheduler.invalidate();
  });
  return {
    service,
    rules: jobRules(config),
    routes: [...jobRoutes(service), ...scheduleRoutes({ objects, jobNames })],
    addSchedules: (load) => scheduler.addLoader(load),
    schedulesChanged,
    start: () => scheduler.start(),
    async stop() {
      unsubscribe();
      await scheduler.stop();
      await service.stop();
    },
  };
}

declare module "../core/eventBus.ts" {
  interface ServerEvents {
    /** A job of the cloud code has failed. */
    "job.failed": { name: string; message: string };
  }
}

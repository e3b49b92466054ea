import { defineModule } from "@purse/kernel";
import { CLOCK, CLOUD, EVENTS, LOG, OBJECTS, SCHEMAS, STORE } from "../../module/tokens.ts";
import { jobRoutes } from "./jobRoutes.ts";
import { jobRules } from "./jobRules.ts";
import { JobService } from "./jobService.ts";
import { scheduleRoutes } from "./scheduleRoutes.ts";
import { Scheduler } from "./scheduler.ts";
import { JOBS } from "./token.ts";

/** Sent to the other processes when a stored schedule has changed. */
const SCHEDULES_CHANGED = "schedules";

/** Jobs of the cloud code: running them on request and by schedule. */
export const jobs = defineModule({
  name: "jobs",
  provides: JOBS,
  needs: {
    store: STORE,
    schemas: SCHEMAS,
    objects: OBJECTS,
    cloud: CLOUD,
    events: EVENTS,
    clock: CLOCK,
    log: LOG,
  },
  classes: ({ facts }) => jobRules(facts),
  open({ facts, store, schemas, objects, cloud, events, clock, log }) {
    const shared = {
      store,
      schemaOf: (className: string) => schemas.require(className),
      clock,
      logger: log,
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
        log.warn("other processes were not notified of a changed schedule", { error: String(error) });
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
      service: {
        message: (jobId, text) => service.message(jobId, text),
        addSchedules: (load) => scheduler.addLoader(load),
        schedulesChanged,
      },
      routes: [...jobRoutes(service), ...scheduleRoutes({ objects, jobNames })],
      async adminRoutes() {
        const { jobAdminRoutes } = await import("./adminRoutes.ts");
        return jobAdminRoutes({ cloud, jobs: service, objects });
      },
      // Requests may start jobs in processes that do not run scheduled ones.
      start: () => facts.roles.includes("worker") && scheduler.start(),
      async stop() {
        unsubscribe();
        await scheduler.stop();
        await service.stop();
      },
    };
  },
});

declare module "../../core/eventBus.ts" {
  interface ServerEvents {
    /** A job of the cloud code has failed. */
    "job.failed": { name: string; message: string };
  }
}

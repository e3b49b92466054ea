import type { RequestContext } from "../caller.ts";
import type { Cloud } from "../cloud/index.ts";
import { createHookCalls, type RemoteHooks } from "../hooks/callHooks.ts";
import { HookCalls } from "../hooks/hookCalls.ts";
import { HookStore } from "../hooks/hookStore.ts";
import { hookRoutes } from "../hooks/hooks.ts";
import type { ApiRoute } from "../http/api.ts";
import { Jobs } from "../jobs/jobs.ts";
import { Scheduler } from "../jobs/scheduler.ts";
import type { ChangeListener } from "../objects/change.ts";
import type { Logger } from "../observe/logger.ts";
import type { Schemas } from "../schema/schemas.ts";
import type { Store } from "../store/store.ts";
import { eventRoutes } from "./events.ts";
import { globalConfigRoutes } from "./globalConfig.ts";

export interface OperatorParts {
  store: Store;
  schemas: Schemas;
  cloud: Cloud;
  config: {
    webhookKey: string | undefined;
    allowPrivateHooks: boolean;
    limits: { functionTimeoutMs: number; maxBodyBytes: number };
  };
  clock(): number;
  log: Logger;
  onChange(listener: ChangeListener): () => void;
  /** Told of each event that an app reports. */
  countEvent(name: string): void;
  report(error: unknown, during: string): void;
}

/** What an operator runs beside the objects: jobs and their schedules, hooks, settings; and what apps report. */
export interface Operator {
  routes: ApiRoute[];
  /** What hooks were asked, and the way to have them asked again. */
  hookCalls: Pick<HookCalls, "list"> & Pick<RemoteHooks, "replay">;
  start(): void;
  stop(): Promise<void>;
}

export async function createOperator(parts: OperatorParts): Promise<Operator> {
  const { store, schemas, cloud, config, clock, log } = parts;
  const schemaOf = (className: string) => schemas.require(className);
  const hooks = await HookStore.load({ store, schemaOf, clock, onError: parts.report });
  const jobs = new Jobs({
    store,
    schemaOf,
    names: () => cloud.definitions().jobs,
    async run(name, params, jobId, request: RequestContext) {
      const { value } = await cloud.runJob(name, params, jobId, request);
      return typeof value === "string" ? value : undefined;
    },
    clock,
    log,
  });
  const scheduler = new Scheduler({ store, schemaOf, jobs, clock, log });
  cloud.onDefined(({ schedules }) => scheduler.take(schedules));
  const calls = new HookCalls(clock);
  const remote = createHookCalls({
    hooks,
    calls,
    webhookKey: config.webhookKey,
    allowPrivate: config.allowPrivateHooks,
    deadlineMs: config.limits.functionTimeoutMs,
    maxBytes: config.limits.maxBodyBytes,
    clock,
    log,
  });
  cloud.attach({ jobs, remote });
  parts.onChange(({ className }) => {
    if (className === "_JobSchedule") scheduler.reread();
  });
  return {
    routes: [
      ...jobs.routes,
      ...hookRoutes(hooks),
      ...globalConfigRoutes({ store, schemaOf, clock, triggerOf: cloud.configTrigger }),
      ...eventRoutes(parts.countEvent),
    ],
    hookCalls: { list: (filter) => calls.list(filter), replay: remote.replay },
    start: () => scheduler.start(),
    async stop() {
      await scheduler.stop();
      await jobs.stop();
      hooks.stop();
    },
  };
}

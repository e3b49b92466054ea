import type { Cloud } from "../cloud/index.ts";
import type { RequestContext } from "../core/authContext.ts";
import type { ApiRoute } from "../core/http/apiRoute.ts";
import type { Logger } from "../core/logger.ts";
import type { ChangeListener } from "../data/objects/change.ts";
import type { Schemas } from "../data/schema/schemas.ts";
import type { Store } from "../database/store.ts";
import { globalConfigRoutes } from "../globalConfig/globalConfigRoutes.ts";
import { GlobalConfigService } from "../globalConfig/globalConfigService.ts";
import { jobRoutes } from "../jobs/jobRoutes.ts";
import { JobService } from "../jobs/jobService.ts";
import { Scheduler } from "../jobs/scheduler.ts";
import { analyticsRoutes } from "../monitoring/analyticsRoutes.ts";
import { WebhookCallLog } from "../webhooks/webhookCallLog.ts";
import { createWebhookClient, type WebhookClient } from "../webhooks/webhookClient.ts";
import { webhookRoutes } from "../webhooks/webhookRoutes.ts";
import { WebhookService } from "../webhooks/webhookService.ts";
import { WebhookStore } from "../webhooks/webhookStore.ts";

export interface AdminServicesDependencies {
  store: Store;
  schemas: Schemas;
  cloud: Cloud;
  config: {
    webhookKey: string | undefined;
    allowPrivateHooks: boolean;
    limits: { functionTimeoutMs: number; maxBodyBytes: number };
  };
  clock(): number;
  logger: Logger;
  onChange(listener: ChangeListener): () => void;
  /** Called for each analytics event. */
  countEvent(name: string): void;
  reportError(error: unknown, during: string): void;
}

/** The services that the operator manages: jobs, schedules, webhooks, Parse Config and analytics events. */
export interface AdminServices {
  routes: ApiRoute[];
  jobs: JobService;
  webhooks: WebhookService;
  globalConfig: GlobalConfigService;
  /** Recorded webhook calls, and repeating them. */
  webhookCalls: Pick<WebhookCallLog, "list"> & Pick<WebhookClient, "replay">;
  start(): void;
  stop(): Promise<void>;
}

export async function createAdminServices(dependencies: AdminServicesDependencies): Promise<AdminServices> {
  const { store, schemas, cloud, config, clock, logger } = dependencies;
  const schemaOf = (className: string) => schemas.require(className);
  const webhooks = await WebhookStore.load({ store, schemaOf, clock, onError: dependencies.reportError });
  const jobs = new JobService({
    store,
    schemaOf,
    names: () => cloud.definitions().jobs,
    async run(name, params, jobId, request: RequestContext) {
      const { value } = await cloud.runJob(name, params, jobId, request);
      return typeof value === "string" ? value : undefined;
    },
    clock,
    logger,
  });
  const scheduler = new Scheduler({ store, schemaOf, jobs, clock, logger });
  cloud.onDefined(({ schedules }) => scheduler.setCodeSchedules(schedules));
  const webhookService = new WebhookService(webhooks);
  const globalConfig = new GlobalConfigService({ store, schemaOf, clock, triggerOf: cloud.configTrigger });
  const calls = new WebhookCallLog(clock);
  const remote = createWebhookClient({
    webhooks,
    calls,
    webhookKey: config.webhookKey,
    allowPrivate: config.allowPrivateHooks,
    deadlineMs: config.limits.functionTimeoutMs,
    maxBytes: config.limits.maxBodyBytes,
    clock,
    logger,
  });
  cloud.attach({ jobs, remote });
  dependencies.onChange(({ className }) => {
    if (className === "_JobSchedule") scheduler.invalidate();
  });
  return {
    routes: [
      ...jobRoutes(jobs),
      ...webhookRoutes(webhookService),
      ...globalConfigRoutes(globalConfig),
      ...analyticsRoutes(dependencies.countEvent),
    ],
    jobs,
    webhooks: webhookService,
    globalConfig,
    webhookCalls: { list: (filter) => calls.list(filter), replay: remote.replay },
    start: () => scheduler.start(),
    async stop() {
      await scheduler.stop();
      await jobs.stop();
      webhooks.stop();
    },
  };
}

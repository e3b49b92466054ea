import type { Config } from "../config/loadConfig.ts";
import type { EventBus } from "../core/eventBus.ts";
import type { ApiRoute } from "../core/http/apiRoute.ts";
import type { Logger } from "../core/logger.ts";
import { type ClassRules, writtenOnlyThrough } from "../data/objects/classRules.ts";
import type { Schemas } from "../data/schema/schemas.ts";
import { SYSTEM_CLASS_FIELDS } from "../data/schema/systemClasses.ts";
import type { Store } from "../database/store.ts";
import { WebhookCallLog } from "./webhookCallLog.ts";
import { createWebhookClient, type WebhookClient } from "./webhookClient.ts";
import { webhookRoutes } from "./webhookRoutes.ts";
import { WebhookService } from "./webhookService.ts";
import { WebhookStore } from "./webhookStore.ts";

export interface WebhooksDependencies {
  config: Config;
  store: Store;
  schemas: Schemas;
  events: EventBus;
  logger: Logger;
  report(error: unknown, activity: string): void;
}

export interface Webhooks {
  service: WebhookService;
  /** Calls the functions and triggers that webhooks implement. */
  client: WebhookClient;
  /** Recorded calls, and repeating them. */
  calls: WebhookCalls;
  routes: ApiRoute[];
  stop(): void;
}

export type WebhookCalls = Pick<WebhookCallLog, "list"> & Pick<WebhookClient, "replay" | "test">;

/** Rules of the class of webhooks, which require the master key. */
export const webhookRules: readonly ClassRules[] = [
  { ...SYSTEM_CLASS_FIELDS._Hooks, ...writtenOnlyThrough("/hooks") },
];

/** Loads the webhooks, once the classes are loaded. */
export async function openWebhooks(dependencies: WebhooksDependencies): Promise<Webhooks> {
  const { config, store, schemas, events, logger, report } = dependencies;
  const webhooks = await WebhookStore.load({
    store,
    schemaOf: (className) => schemas.require(className),
    clock: store.now,
    onError: report,
  });
  const log = new WebhookCallLog(store.now, (name, message) =>
    events.emit("webhook.failed", { name, message }),
  );
  const client = createWebhookClient({
    webhooks,
    calls: log,
    webhookKey: config.webhookKey,
    allowPrivate: config.allowPrivateHooks,
    deadlineMs: config.functionTimeoutMs,
    maxBytes: config.maxBodyBytes,
    answersAsParseServer: config.compatibility === "parse",
    clock: store.now,
    logger,
  });
  const service = new WebhookService(webhooks);
  return {
    service,
    client,
    calls: { list: (filter) => log.list(filter), replay: client.replay, test: client.test },
    routes: webhookRoutes(service),
    stop: () => webhooks.stop(),
  };
}

declare module "../core/eventBus.ts" {
  interface ServerEvents {
    /** A call of a webhook had no valid response. */
    "webhook.failed": { name: string; message: string };
  }
}

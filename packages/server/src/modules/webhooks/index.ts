import { defineModule } from "@purse/kernel";
import { writtenOnlyThrough } from "../../data/objects/classRules.ts";
import { CLOCK, EVENTS, LOG, REPORT, SCHEMAS, SHARED_SETTINGS, STORE } from "../../module/tokens.ts";
import { WEBHOOKS } from "./token.ts";
import { WebhookCallLog } from "./webhookCallLog.ts";
import { createWebhookClient } from "./webhookClient.ts";
import { webhookRoutes } from "./webhookRoutes.ts";
import { WebhookService } from "./webhookService.ts";
import { WebhookStore } from "./webhookStore.ts";

/** Functions and triggers that other servers implement: which ones there are, and calling them. */
export const webhooks = defineModule({
  name: "webhooks",
  provides: WEBHOOKS,
  needs: {
    store: STORE,
    schemas: SCHEMAS,
    events: EVENTS,
    clock: CLOCK,
    log: LOG,
    report: REPORT,
    shared: SHARED_SETTINGS,
  },
  // They require the master key.
  classes: () => [
    {
      className: "_Hooks",
      fields: {
        functionName: { type: "String" },
        className: { type: "String" },
        triggerName: { type: "String" },
        url: { type: "String" },
      },
      ...writtenOnlyThrough("/hooks"),
    },
  ],
  async open({ store, schemas, events, clock, log, report, shared, facts }) {
    const stored = await WebhookStore.load({
      store,
      schemaOf: (className) => schemas.require(className),
      clock,
      onError: report,
    });
    const calls = new WebhookCallLog(clock, (name, message) =>
      events.emit("webhook.failed", { name, message }),
    );
    const client = createWebhookClient({
      webhooks: stored,
      calls,
      webhookKey: shared.webhookKey,
      allowPrivate: shared.allowPrivateHooks,
      deadlineMs: shared.functionTimeoutMs,
      maxBytes: shared.maxBodyBytes,
      answersAsParseServer: facts.compatibility === "parse",
      clock,
      logger: log,
    });
    const service = new WebhookService(stored);
    return {
      service: {
        ...client,
        functionNames: () =>
          service.functions().flatMap((each) => ("functionName" in each ? each.functionName : [])),
      },
      routes: webhookRoutes(service),
      async adminRoutes() {
        const { webhookAdminRoutes } = await import("./adminRoutes.ts");
        return webhookAdminRoutes({ service, client, calls, settings: shared });
      },
      stop: () => stored.stop(),
    };
  },
});

declare module "../../core/eventBus.ts" {
  interface ServerEvents {
    /** A call of a webhook had no valid response. */
    "webhook.failed": { name: string; message: string };
  }
}

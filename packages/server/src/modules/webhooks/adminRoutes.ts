import { ErrorCode, type JsonObject, ProtocolError } from "@purse/protocol";
import { DELIVERY_POLICY } from "../../chainWork/webhookQueue.ts";
import type { SharedSettings } from "../../module/tokens.ts";
import { type Requests, route, type StudioRoute } from "../../studio/route.ts";
import {
  webhookCallEndpoints as callEndpoints,
  webhookEndpoints as endpoints,
  type StudioHookSettings,
} from "../../studioApi/webhooks.ts";
import type { WebhookCallLog } from "./webhookCallLog.ts";
import type { WebhookClient } from "./webhookClient.ts";
import type { WebhookService } from "./webhookService.ts";

type WebhookRequests = Requests<typeof endpoints>;

export interface WebhookAdminDependencies {
  service: WebhookService;
  client: Pick<WebhookClient, "replay" | "test">;
  calls: Pick<WebhookCallLog, "list">;
  settings: Pick<SharedSettings, "webhookKey" | "functionTimeoutMs" | "allowPrivateHooks">;
}

/** Routes of the admin API for webhooks and their recorded calls. */
export function webhookAdminRoutes(dependencies: WebhookAdminDependencies): StudioRoute[] {
  const { service, client, calls, settings } = dependencies;
  return [
    route(endpoints.hooks, async () => ({ functions: service.functions(), triggers: service.triggers() })),
    route(endpoints.hookSettings, async () => hookSettings()),
    route(endpoints.revealHookKey, revealHookKey),
    route(endpoints.testHook, testHook),
    route(endpoints.addHook, addHook),
    route(endpoints.changeFunctionHook, changeHook),
    route(endpoints.removeFunctionHook, removeHook),
    route(endpoints.changeTriggerHook, changeHook),
    route(endpoints.removeTriggerHook, removeHook),
    route(callEndpoints.hookCalls, async ({ params }) => calls.list(params)),
    route(callEndpoints.replayCall, ({ pathParams }) => client.replay(pathParams.id)),
  ];

  function hookSettings(): StudioHookSettings {
    const { webhookKey, functionTimeoutMs, allowPrivateHooks } = settings;
    return {
      isSigned: webhookKey !== undefined,
      timeoutMs: functionTimeoutMs,
      allowsPrivate: allowPrivateHooks,
      deliveries: DELIVERY_POLICY,
    };
  }

  async function revealHookKey() {
    const { webhookKey } = settings;
    if (webhookKey === undefined)
      throw new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "PURSE_WEBHOOK_KEY is not set.");
    return { webhookKey };
  }

  async function testHook(request: WebhookRequests["testHook"]) {
    const { functionName, className = "", triggerName = "", url } = request.params;
    const hook: JsonObject =
      functionName === undefined ? { className, triggerName, url } : { functionName, url };
    request.setAuditDetails({ after: hook });
    return client.test(service.parse(hook));
  }

  async function addHook(request: WebhookRequests["addHook"]) {
    const { functionName, className = "", triggerName = "", url = "" } = request.params;
    const hook: JsonObject =
      functionName === undefined ? { className, triggerName, url } : { functionName, url };
    request.setAuditDetails({ after: hook });
    return service.create(hook);
  }

  async function changeHook(request: WebhookRequests["changeFunctionHook" | "changeTriggerHook"]) {
    const change = { url: request.params.url };
    request.setAuditDetails({ before: service.get(request.pathParams), after: change });
    return service.update(request.pathParams, change);
  }

  async function removeHook(request: WebhookRequests["removeFunctionHook" | "removeTriggerHook"]) {
    request.setAuditDetails({ before: service.get(request.pathParams), after: {} });
    await service.remove(request.pathParams);
    return {};
  }
}

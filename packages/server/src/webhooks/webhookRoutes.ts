import { isClassName, type JsonObject, ProtocolError } from "@purse/protocol";
import { OBJECT_TRIGGERS, QUERY_TRIGGERS } from "../cloud/workerMessages.ts";
import type { ApiRequest, ApiRoute } from "../core/http/apiRoute.ts";
import { assertMaster } from "../core/http/masterKeyAccess.ts";
import { parseWebhook, WEBHOOK_ERROR_CODE, type Webhook, type WebhookStore } from "./webhookStore.ts";

const TRIGGERS: readonly string[] = [...OBJECT_TRIGGERS, ...QUERY_TRIGGERS];
const FUNCTION_NAME = /^(?=.{1,128}$)[A-Za-z_][\w-]*(\.[\w-]+)*$/;

/** Routes that manage webhooks with the master key. */
export function webhookRoutes(webhooks: WebhookStore): ApiRoute[] {
  return [
    { method: "GET", path: "/hooks/functions", handle: (request) => list(request, "functionName") },
    { method: "GET", path: "/hooks/triggers", handle: (request) => list(request, "className") },
    { method: "GET", path: "/hooks/functions/:functionName", handle: get },
    { method: "GET", path: "/hooks/triggers/:className/:triggerName", handle: get },
    { method: "POST", path: "/hooks/functions", handle: create },
    { method: "POST", path: "/hooks/triggers", handle: create },
    { method: "PUT", path: "/hooks/functions/:functionName", handle: update },
    { method: "PUT", path: "/hooks/triggers/:className/:triggerName", handle: update },
    { method: "DELETE", path: "/hooks/functions/:functionName", handle: remove },
    { method: "DELETE", path: "/hooks/triggers/:className/:triggerName", handle: remove },
  ];

  async function list(request: ApiRequest, field: string): Promise<JsonObject[]> {
    assertMaster(request);
    return webhooks.all().filter((webhook) => field in webhook);
  }

  async function get(request: ApiRequest): Promise<JsonObject> {
    assertMaster(request);
    const webhook = webhooks.get(keyOf(request));
    if (webhook) return webhook;
    throw new ProtocolError(WEBHOOK_ERROR_CODE, missingMessage(request.pathParams));
  }

  async function create(request: ApiRequest): Promise<JsonObject> {
    assertMaster(request, "write");
    const webhook = parseDeclaration(request.params);
    const conflictMessage =
      "functionName" in webhook
        ? `function name: ${webhook.functionName} already exists`
        : `class ${webhook.className} already has trigger ${webhook.triggerName}`;
    await webhooks.create(webhook, conflictMessage);
    return webhook;
  }

  async function update(request: ApiRequest): Promise<JsonObject> {
    assertMaster(request, "write");
    const { params, pathParams: names } = request;
    if (params.__op === "Delete") return remove(request);
    const webhook = parseDeclaration({ ...names, ...(params.url !== undefined && { url: params.url }) });
    await webhooks.update(webhook, missingMessage(names));
    return webhook;
  }

  async function remove(request: ApiRequest): Promise<JsonObject> {
    assertMaster(request, "write");
    await webhooks.remove(keyOf(request));
    return {};
  }
}

function keyOf({ pathParams: names }: ApiRequest): string {
  const { functionName = "", className = "", triggerName = "" } = names;
  return functionName === "" ? `${triggerName}.${className}` : `function ${functionName}`;
}

function missingMessage({ functionName, className = "" }: Record<string, string>): string {
  return functionName === undefined
    ? `class ${className} does not exist`
    : `no function named: ${functionName} is defined`;
}

/** Parses the declaration of a webhook. Throws 143. */
function parseDeclaration(params: JsonObject): Webhook {
  const webhook = parseWebhook(params);
  if (!webhook || !isCallable(webhook))
    throw new ProtocolError(WEBHOOK_ERROR_CODE, "invalid hook declaration");
  return webhook;
}

function isCallable(webhook: Webhook): boolean {
  if (!URL.canParse(webhook.url) || !/^https?:$/.test(new URL(webhook.url).protocol)) return false;
  if ("functionName" in webhook) return FUNCTION_NAME.test(webhook.functionName);
  return isClassName(webhook.className) && TRIGGERS.includes(webhook.triggerName);
}

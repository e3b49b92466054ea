import { BlockedAddressError, type OutboundResponse, sendRequest } from "@purse/outbound";
import {
  ErrorCode,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ProtocolError,
  tryParseJson,
} from "@purse/protocol";
import type { RemoteHandlers } from "../../cloud/cloud.ts";
import { definitionOf } from "../../cloud/definitionOf.ts";
import { applyOperations, toParseObject } from "../../cloud/parseObjects.ts";
import { queryParams, withoutQueryParams } from "../../cloud/queryParams.ts";
import type { CallContext, Invocation, InvocationResult } from "../../cloud/workerMessages.ts";
import type { Logger } from "../../core/logger.ts";
import { OutcomeUnknownError } from "../../core/outcomeUnknownError.ts";
import { trace, traceHeaders } from "../../core/tracing/tracing.ts";
import { webhookFailure } from "../../core/webhookFailure.ts";
import { signedHeaders } from "../../core/webhookSignature.ts";
import type { Webhook } from "../../data/webhookRow.ts";
import type { StudioHookCall } from "../../studioApi/webhooks.ts";
import { type WebhookCallLog, webhookName } from "./webhookCallLog.ts";
import { parseServerWebhookError, webhookError } from "./webhookError.ts";
import type { WebhookStore } from "./webhookStore.ts";

export interface WebhookClientDependencies {
  webhooks: WebhookStore;
  /** Records calls for operators. */
  calls: WebhookCallLog;
  /** Sent to the webhook's server and used to sign requests; if undefined, requests are not signed. */
  webhookKey: string | undefined;
  /** Whether webhooks may have private addresses. */
  allowPrivate: boolean;
  deadlineMs: number;
  maxBytes: number;
  /** Whether clients receive errors in the format of Parse Server. */
  answersAsParseServer: boolean;
  /** Milliseconds since the epoch. */
  clock(): number;
  logger: Logger;
}

/** Calls functions and triggers that are implemented by other servers. */
export interface WebhookClient extends RemoteHandlers {
  /** Repeats a recorded call; its response is recorded and has no other effect. Throws 101 and 142. */
  replay(callId: string): Promise<StudioHookCall>;
  /** Sends an example of a request; the call is recorded and its response has no effect. */
  test(webhook: Webhook): Promise<StudioHookCall>;
}

/** Creates the client: each call is a POST with the function's or trigger's request, answered with `{success}` or `{error}`. */
export function createWebhookClient(dependencies: WebhookClientDependencies): WebhookClient {
  const { webhooks, logger } = dependencies;
  return {
    hasFunction: (name) => webhooks.get(`function ${name}`) !== undefined,
    hasTrigger: (trigger) => webhooks.get(trigger) !== undefined,
    async run(task) {
      const webhook = webhooks.get(definitionOf(task));
      if (!webhook) throw new ProtocolError(ErrorCode.SCRIPT_FAILED, "The webhook no longer exists");
      return resultOf(task, await call(webhook, bodyOf(task)));
    },
    async replay(callId) {
      const { hook: name, request } = dependencies.calls.get(callId);
      const webhook = webhooks.all().find((each) => webhookName(each) === name);
      if (!webhook) throw new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "The webhook no longer exists.");
      const fields = tryParseJson(request);
      if (!isJsonObject(fields)) {
        throw new ProtocolError(
          ErrorCode.VALIDATION_ERROR,
          "The call was too long to be recorded completely.",
        );
      }
      return dependencies.calls.try(webhook, fields, () => send(webhook.url, request), "replay");
    },
    async test(webhook) {
      const fields = exampleBody(webhook, dependencies.clock());
      return dependencies.calls.try(webhook, fields, () => send(webhook.url, JSON.stringify(fields)), "test");
    },
  };

  async function call(webhook: Webhook, fields: JsonObject): Promise<JsonValue | undefined> {
    const body = JSON.stringify(fields);
    let response: unknown;
    try {
      const { body: text } = await dependencies.calls.record(webhook, fields, () => send(webhook.url, body));
      response = text === "" ? {} : JSON.parse(text);
    } catch (error) {
      logger.warn("a webhook could not be called", { url: webhook.url, error: webhookFailure(error) });
      if (error instanceof SyntaxError) throw malformedResponse();
      const message = "The webhook could not be called.";
      const failure = wasNotSent(error)
        ? new ProtocolError(ErrorCode.SCRIPT_FAILED, message)
        : new OutcomeUnknownError(ErrorCode.SCRIPT_FAILED, message);
      // For operators: the reason tells clients about the network of the server.
      failure.cause = error;
      throw failure;
    }
    if (!isJsonObject(response)) throw malformedResponse();
    if (response.error !== undefined && response.error !== null)
      throw dependencies.answersAsParseServer ? parseServerWebhookError(response) : webhookError(response);
    return response.success;
  }

  async function send(url: string, body: string): Promise<OutboundResponse> {
    const { deadlineMs, maxBytes, allowPrivate } = dependencies;
    const signed = signedHeaders(dependencies.webhookKey, body, dependencies.clock());
    const response = await trace(
      "webhook",
      () => {
        const headers = { ...signed, ...traceHeaders() };
        return sendRequest({ url, headers, body, deadlineMs, maxBytes, allowPrivate });
      },
      () => ({ kind: "client", attributes: { "server.address": new URL(url).host } }),
    );
    if (response.status >= 300 && response.status < 400) {
      throw new Error(`it responded with a redirect (${response.status}), which is not followed`);
    }
    return response;
  }
}

/** It may be that of a proxy that has lost the response. */
function malformedResponse(): ProtocolError {
  return new OutcomeUnknownError(ErrorCode.SCRIPT_FAILED, "Malformed response");
}

/** Errors of requests that were not sent, because there was no connection. */
const NOT_SENT: ReadonlySet<unknown> = new Set(["ECONNREFUSED", "ENOTFOUND", "EHOSTUNREACH", "ENETUNREACH"]);

function wasNotSent(error: unknown): boolean {
  if (error instanceof BlockedAddressError) return true;
  return error instanceof Error && "code" in error && NOT_SENT.has(error.code);
}

function bodyOf(task: Invocation): JsonObject {
  const common = commonOf(task.callContext);
  switch (task.kind) {
    case "function":
      return { ...common, functionName: task.name, params: task.params };
    case "object": {
      const { className, trigger, object, original } = task;
      return {
        ...common,
        triggerName: trigger,
        object: { ...object, className },
        ...(original && { original: { ...original, className } }),
      };
    }
    case "beforeSave": {
      const { className, original } = task;
      return {
        ...common,
        triggerName: "beforeSave",
        object: { ...resultingObject(task).toJSON(), className },
        ...(original && { original: { ...original, className } }),
      };
    }
    case "beforeFind":
      return { ...common, triggerName: "beforeFind", query: queryParams(task.params), isGet: task.isGet };
    case "afterFind": {
      const { className, objects, isGet } = task;
      const named = objects.map((object) => ({ ...object, className }));
      return { ...common, triggerName: "afterFind", objects: named, isGet };
    }
    default:
      return common;
  }
}

/** An example of what a webhook receives, which says that it is a test. */
function exampleBody(webhook: Webhook, now: number): JsonObject {
  const common = { master: true, context: { isTest: true }, headers: {} };
  if ("functionName" in webhook) return { ...common, functionName: webhook.functionName, params: {} };
  const { className, triggerName } = webhook;
  const at = new Date(now).toISOString();
  const object = { className, objectId: "test", createdAt: at, updatedAt: at };
  const request: JsonObject =
    triggerName === "beforeFind"
      ? { query: { where: {}, limit: 1 }, isGet: false }
      : triggerName === "afterFind"
        ? { objects: [object], isGet: false }
        : { object };
  return { ...common, triggerName, ...request };
}

function commonOf({ user, master, installationId, context, ip, headers }: CallContext): JsonObject {
  const parsed: JsonObject | undefined = user === undefined ? undefined : JSON.parse(user);
  const { sessionToken: _, ...known } = parsed ?? {};
  const { cookie: _cookie, authorization: _authorization, ...forwarded } = headers;
  return {
    master,
    ...(parsed && { user: { ...known, className: "_User", __type: "Object" } }),
    ...(installationId !== undefined && { installationId }),
    context,
    ip,
    headers: withoutToken(forwarded),
  };
}

/** Removes the session token: another server must not act for a user. */
function withoutToken({ "x-parse-session-token": _, ...headers }: Record<string, string>): JsonObject {
  return headers;
}

function resultOf(task: Invocation, success: JsonValue | undefined): InvocationResult {
  switch (task.kind) {
    case "beforeSave":
      return isJsonObject(success) ? { changes: { set: changedFields(task, success), unset: [] } } : {};
    case "beforeFind":
      return isJsonObject(success)
        ? { value: { ...withoutQueryParams(task.params), ...queryParams(success) } }
        : { value: task.params };
    case "afterFind":
      return { value: Array.isArray(success) ? success : task.objects };
    case "function":
      return { value: success };
    default:
      return {};
  }
}

const SERVER_FIELDS: ReadonlySet<string> = new Set([
  "objectId",
  "createdAt",
  "updatedAt",
  "className",
  "__type",
]);

/** The fields of a returned object that differ from the requested object. */
function changedFields(task: Extract<Invocation, { kind: "beforeSave" }>, returned: JsonObject): JsonObject {
  const object = resultingObject(task);
  const before = object.toJSON();
  for (const [key, value] of Object.entries(returned)) {
    if (SERVER_FIELDS.has(key) || JSON.stringify(before[key]) === JSON.stringify(value)) delete returned[key];
  }
  return returned;
}

function resultingObject({ className, original, operations }: Extract<Invocation, { kind: "beforeSave" }>) {
  const object = toParseObject(className, original ?? {});
  applyOperations(object, operations);
  return object;
}

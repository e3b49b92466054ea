import {
  ErrorCode,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ProtocolError,
  type StudioHookCall,
} from "@purse/protocol";
import type { RemoteHandlers } from "../cloud/cloud.ts";
import { applyOperations, toParseObject } from "../cloud/parseObjects.ts";
import { queryParams, withoutQueryParams } from "../cloud/queryParams.ts";
import type { CallContext, Invocation, InvocationResult } from "../cloud/workerMessages.ts";
import type { Logger } from "../observe/logger.ts";
import { type OutboundResponse, sendRequest } from "../outbound/sendRequest.ts";
import { signedHeaders } from "../outbound/signature.ts";
import { type HookCalls, hookName } from "./hookCalls.ts";
import type { Hook, HookStore } from "./hookStore.ts";

export interface HookCallParts {
  hooks: HookStore;
  /** Where calls are kept for operators. */
  calls: HookCalls;
  /** Shown to the hook's server, and what requests are signed with; without one they are not. */
  webhookKey: string | undefined;
  /** Whether hooks may live inside of networks. */
  allowPrivate: boolean;
  deadlineMs: number;
  maxBytes: number;
  /** In ms since the epoch. */
  clock(): number;
  log: Logger;
}

/** Functions and triggers that other servers carry out, and what an operator has them asked once more. */
export interface RemoteHooks extends RemoteHandlers {
  /** Asks the server of a call the same again; nothing is done with its answer. Throws 101 and 142. */
  replay(callId: string): Promise<StudioHookCall>;
}

/** Calls hooks: a POST with what a function or trigger is told, answered by `{success}` or `{error}`. */
export function createHookCalls(parts: HookCallParts): RemoteHooks {
  const { hooks, log } = parts;
  return {
    hasFunction: (name) => hooks.get(`function ${name}`) !== undefined,
    hasTrigger: (trigger) => hooks.get(trigger) !== undefined,
    async run(task) {
      const hook = hooks.get(nameOf(task));
      if (!hook) throw new ProtocolError(ErrorCode.SCRIPT_FAILED, "The hook is gone");
      return outcomeOf(task, await call(hook, bodyOf(task)));
    },
    async replay(callId) {
      const { hook: name, request } = parts.calls.get(callId);
      const hook = hooks.all().find((each) => hookName(each) === name);
      if (!hook) throw new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "The hook is gone.");
      const fields: unknown = parseOr(request);
      if (!isJsonObject(fields)) {
        throw new ProtocolError(ErrorCode.VALIDATION_ERROR, "The call was too long to be kept whole.");
      }
      return parts.calls.replay(hook, fields, () => ask(hook.url, request));
    },
  };

  async function call(hook: Hook, fields: JsonObject): Promise<JsonValue | undefined> {
    const body = JSON.stringify(fields);
    let answer: unknown;
    try {
      const { body: text } = await parts.calls.record(hook, fields, () => ask(hook.url, body));
      answer = text === "" ? {} : JSON.parse(text);
    } catch (error) {
      log.warn("a hook could not be called", { url: hook.url, error });
      throw new ProtocolError(
        ErrorCode.SCRIPT_FAILED,
        error instanceof SyntaxError ? "Malformed response" : "The hook could not be called.",
      );
    }
    if (!isJsonObject(answer)) throw new ProtocolError(ErrorCode.SCRIPT_FAILED, "Malformed response");
    if (answer.error !== undefined && answer.error !== null) throw errorOf(answer);
    return answer.success;
  }

  async function ask(url: string, body: string): Promise<OutboundResponse> {
    const { deadlineMs, maxBytes, allowPrivate } = parts;
    const headers = signedHeaders(parts.webhookKey, body, parts.clock());
    const answer = await sendRequest({ url, headers, body, deadlineMs, maxBytes, allowPrivate });
    if (answer.status >= 300 && answer.status < 400) {
      throw new Error(`it redirects (${answer.status}), which is not followed`);
    }
    return answer;
  }
}

function parseOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function nameOf(task: Invocation): string {
  switch (task.kind) {
    case "function":
      return `function ${task.name}`;
    case "object":
      return `${task.trigger}.${task.className}`;
    case "beforeSave":
    case "beforeFind":
    case "afterFind":
      return `${task.kind}.${task.className}`;
    default:
      return "";
  }
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
        object: { ...wanted(task).toJSON(), className },
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

function commonOf({ user, master, installationId, context, ip, headers }: CallContext): JsonObject {
  const { sessionToken: _, ...known } = user ?? {};
  const { cookie: _cookie, authorization: _authorization, ...shown } = headers;
  return {
    master,
    ...(user && { user: { ...known, className: "_User", __type: "Object" } }),
    ...(installationId !== undefined && { installationId }),
    context,
    ip,
    headers: withoutToken(shown),
  };
}

/** Another server acts for nobody: it gets no session. */
function withoutToken({ "x-parse-session-token": _, ...headers }: Record<string, string>): JsonObject {
  return headers;
}

function outcomeOf(task: Invocation, success: JsonValue | undefined): InvocationResult {
  switch (task.kind) {
    case "beforeSave":
      return isJsonObject(success) ? { changes: { set: changed(task, success), unset: [] } } : {};
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

const OURS: ReadonlySet<string> = new Set(["objectId", "createdAt", "updatedAt", "className", "__type"]);

/** Of an object that a hook answered, the fields that are other than those asked for. */
function changed(task: Extract<Invocation, { kind: "beforeSave" }>, answered: JsonObject): JsonObject {
  const object = wanted(task);
  const before = object.toJSON();
  for (const [key, value] of Object.entries(answered)) {
    if (OURS.has(key) || JSON.stringify(before[key]) === JSON.stringify(value)) delete answered[key];
  }
  return answered;
}

function wanted({ className, original, operations }: Extract<Invocation, { kind: "beforeSave" }>) {
  const object = toParseObject(className, original ?? {});
  applyOperations(object, operations);
  return object;
}

function errorOf({ error, code }: JsonObject): ProtocolError {
  if (isJsonObject(error))
    return errorOf({ code: error.code ?? null, error: error.error ?? error.message ?? null });
  const message = typeof error === "string" && error !== "" ? error : "Script failed.";
  return new ProtocolError(
    typeof code === "number" ? code : ErrorCode.SCRIPT_FAILED,
    message.slice(0, 2_000),
  );
}

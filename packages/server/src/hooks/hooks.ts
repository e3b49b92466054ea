import { isClassName, type JsonObject, ProtocolError } from "@purse/protocol";
import { OBJECT_TRIGGERS, QUERY_TRIGGERS } from "../cloud/workerMessages.ts";
import type { ApiRequest, ApiRoute } from "../http/api.ts";
import { assertMaster } from "../http/masterKeyAccess.ts";
import { HOOK_ERROR, type Hook, type HookStore, hookOf } from "./hookStore.ts";

const TRIGGERS: readonly string[] = [...OBJECT_TRIGGERS, ...QUERY_TRIGGERS];
const FUNCTION_NAME = /^(?=.{1,128}$)[A-Za-z_][\w-]*(\.[\w-]+)*$/;

/** Functions and triggers that other servers carry out, as their operator sees them: with the master key. */
export function hookRoutes(hooks: HookStore): ApiRoute[] {
  return [
    { method: "GET", path: "/hooks/functions", handle: (request) => list(request, "functionName") },
    { method: "GET", path: "/hooks/triggers", handle: (request) => list(request, "className") },
    { method: "GET", path: "/hooks/functions/:functionName", handle: one },
    { method: "GET", path: "/hooks/triggers/:className/:triggerName", handle: one },
    { method: "POST", path: "/hooks/functions", handle: create },
    { method: "POST", path: "/hooks/triggers", handle: create },
    { method: "PUT", path: "/hooks/functions/:functionName", handle: change },
    { method: "PUT", path: "/hooks/triggers/:className/:triggerName", handle: change },
    { method: "DELETE", path: "/hooks/functions/:functionName", handle: remove },
    { method: "DELETE", path: "/hooks/triggers/:className/:triggerName", handle: remove },
  ];

  async function list(request: ApiRequest, field: string): Promise<JsonObject[]> {
    assertMaster(request);
    return hooks.all().filter((hook) => field in hook);
  }

  async function one(request: ApiRequest): Promise<JsonObject> {
    assertMaster(request);
    const hook = hooks.get(named(request));
    if (hook) return hook;
    throw new ProtocolError(HOOK_ERROR, missing(request.pathParams));
  }

  async function create(request: ApiRequest): Promise<JsonObject> {
    assertMaster(request, "write");
    const hook = declared(request.params);
    const taken =
      "functionName" in hook
        ? `function name: ${hook.functionName} already exists`
        : `class ${hook.className} already has trigger ${hook.triggerName}`;
    await hooks.create(hook, taken);
    return hook;
  }

  async function change(request: ApiRequest): Promise<JsonObject> {
    assertMaster(request, "write");
    const { params, pathParams: names } = request;
    if (params.__op === "Delete") return remove(request);
    const hook = declared({ ...names, ...(params.url !== undefined && { url: params.url }) });
    await hooks.update(hook, missing(names));
    return hook;
  }

  async function remove(request: ApiRequest): Promise<JsonObject> {
    assertMaster(request, "write");
    await hooks.remove(named(request));
    return {};
  }
}

function named({ pathParams: names }: ApiRequest): string {
  const { functionName = "", className = "", triggerName = "" } = names;
  return functionName === "" ? `${triggerName}.${className}` : `function ${functionName}`;
}

function missing({ functionName, className = "" }: Record<string, string>): string {
  return functionName === undefined
    ? `class ${className} does not exist`
    : `no function named: ${functionName} is defined`;
}

/** Throws 143 for what nobody could call. */
function declared(params: JsonObject): Hook {
  const hook = hookOf(params);
  if (!hook || !isCallable(hook)) throw new ProtocolError(HOOK_ERROR, "invalid hook declaration");
  return hook;
}

function isCallable(hook: Hook): boolean {
  if (!URL.canParse(hook.url) || !/^https?:$/.test(new URL(hook.url).protocol)) return false;
  if ("functionName" in hook) return FUNCTION_NAME.test(hook.functionName);
  return isClassName(hook.className) && TRIGGERS.includes(hook.triggerName);
}

import { isJsonObject, type JsonObject } from "@purse/protocol";
import { Cloud } from "./cloud.ts";
import { web3Sign, web3SignV4, web3Transaction } from "./wallet/triggers.ts";

/** An action that the server requests from the client after a plugin call. */
export interface Trigger {
  name: string;
  /** For some triggers undefined differs from false: they then do nothing. */
  shouldAwait?: boolean;
  /** Saves the response for later triggers. */
  saveResponse?: boolean;
  shouldReturnResponse?: boolean;
  shouldReturnPayload?: boolean;
  data: JsonObject;
}

/** Executes a trigger and returns its response. */
export type TriggerHandler = (trigger: Trigger) => unknown;

/** The state that the triggers of one call share. */
export interface TriggerContext {
  /** The payload of the plugin function's response. */
  payload: unknown;
  customHandlers: ReadonlyMap<string, TriggerHandler>;
  /** Parses the response of another function. Throws if the function failed. */
  parseResponse(response: unknown): { payload: unknown; triggers: readonly unknown[] };
}

/** The response that a trigger has saved for later ones; a promise if it was not awaited. */
interface MemoryCard {
  saved?: { response: unknown };
}

/**
 * Executes the triggers in order until one returns something. Resolves with that, or undefined.
 * Throws `Unknown trigger`, or what a trigger throws; later triggers are then skipped.
 */
export function runTriggers(list: readonly unknown[], context: TriggerContext): Promise<unknown> {
  return runInContext(list, context, {});
}

async function runInContext(
  list: readonly unknown[],
  context: TriggerContext,
  card: MemoryCard,
): Promise<unknown> {
  for (const json of list) {
    const trigger = parseTrigger(json);
    const response = await responseOf(trigger, context, card);
    // The response triggers are executed by the nested call; only the following ones are left here.
    if (trigger.name === "callPluginEndpoint" && trigger.data.runResponseTrigger === false) continue;
    if (trigger.shouldReturnPayload) return { payload: context.payload, response: response.value };
    if (trigger.shouldReturnResponse) return response.value;
  }
  return undefined;
}

/** A wrapper, so that a promise that must not be awaited can be returned from an async function. */
interface Response {
  value: unknown;
}

async function responseOf(trigger: Trigger, context: TriggerContext, card: MemoryCard): Promise<Response> {
  const result = execute(trigger, context, card);
  const isDeferrable = trigger.name === "web3SignV4" || trigger.name === "callPluginEndpoint";
  const value: unknown = isDeferrable && !trigger.shouldAwait ? result : await result;
  if (trigger.saveResponse) card.saved = { response: value };
  if (value instanceof Promise) value.catch(logError);
  return { value };
}

function execute(trigger: Trigger, context: TriggerContext, card: MemoryCard): unknown {
  const handler = context.customHandlers.get(trigger.name);
  if (handler) return handler(trigger);
  switch (trigger.name) {
    case "openUrl":
      return openUrl(trigger.data);
    case "web3Transaction":
      return web3Transaction(trigger);
    case "web3Sign":
      return web3Sign(trigger);
    case "web3SignV4":
      return trigger.shouldAwait === undefined ? undefined : web3SignV4(trigger);
    case "callPluginEndpoint":
      return callPluginEndpoint(trigger, context, card);
    default:
      throw new Error(`Unknown trigger: "${trigger.name}"`);
  }
}

async function callPluginEndpoint(
  { data, shouldAwait }: Trigger,
  context: TriggerContext,
  card: MemoryCard,
): Promise<unknown> {
  const { pluginName, endpoint, runResponseTrigger } = data;
  if (!pluginName) throw new Error("callPluginEndpoint trigger does not have an plugin name to call");
  if (!endpoint) throw new Error("callPluginEndpoint trigger does not have an endpoint to call");
  if (shouldAwait === undefined) return undefined;
  const params: Record<string, unknown> = isJsonObject(data.params) ? { ...data.params } : {};
  if (data.useSavedResponse === true) {
    params[String(data.savedResponseAs)] = await readSavedResponse(card, data.savedResponseAt);
  }
  const response = await Cloud.run(`${pluginName}_${endpoint}`, params);
  if (runResponseTrigger !== true) return response;
  const { payload, triggers } = context.parseResponse(response);
  return runInContext(triggers, { ...context, payload }, card);
}

/** The saved response, or the value at a path in it. */
async function readSavedResponse({ saved }: MemoryCard, path: unknown): Promise<unknown> {
  if (!saved) throw new Error("Nothing saved to memory card");
  const names: readonly unknown[] = Array.isArray(path) ? path : [];
  return names.reduce<unknown>(
    (value, name) =>
      typeof value === "object" && value !== null ? Reflect.get(value, String(name)) : undefined,
    await saved.response,
  );
}

function openUrl({ url, newTab }: JsonObject): void {
  // Only http URLs: a "javascript:" URL would execute code from the server.
  if (typeof url !== "string" || !/^https?:\/\//i.test(url)) throw new Error("openUrl takes an http address");
  window.open(url, newTab ? "_blank" : "_self", newTab ? "noopener" : undefined);
}

function parseTrigger(json: unknown): Trigger {
  if (!isJsonObject(json)) throw new Error('Unknown trigger: "undefined"');
  const { name, shouldAwait, saveResponse, shouldReturnResponse, shouldReturnPayload, data } = json;
  return {
    name: String(name),
    ...(typeof shouldAwait === "boolean" && { shouldAwait }),
    saveResponse: saveResponse === true,
    shouldReturnResponse: shouldReturnResponse === true,
    shouldReturnPayload: shouldReturnPayload === true,
    data: isJsonObject(data) ? data : json,
  };
}

/** Logs the failure of a trigger that is not awaited. */
function logError(error: unknown): void {
  console.error("A trigger that is not awaited has failed", error);
}

import { isJsonObject, type JsonObject } from "@purse/protocol";
import { Cloud } from "./cloud.ts";
import { web3Sign, web3SignV4, web3Transaction } from "./wallet/triggers.ts";

/** A plugin of the server and the functions it offers. */
export interface PluginSpec {
  name: string;
  functions: readonly string[];
}

export interface PluginCallOptions {
  /** Answers the result without doing what the server asks the client to do. */
  disableTriggers?: boolean;
}

type PluginFunction = (params?: object, options?: PluginCallOptions) => Promise<unknown>;

/** What the server asks the client to do after a plugin call: `name` and what it needs. */
export interface Trigger {
  name: string;
  shouldAwait?: boolean;
  shouldReturnResponse?: boolean;
  shouldReturnPayload?: boolean;
  data: JsonObject;
}

type TriggerHandler = (trigger: Trigger) => unknown;

/** The server's plugins: `Plugins.opensea.getAsset({...})`. */
export const Plugins: Record<string, Record<string, PluginFunction>> = {};

const handlers = new Map<string, TriggerHandler>([
  ["openUrl", openUrl],
  ["web3Transaction", web3Transaction],
  ["web3Sign", web3Sign],
  ["web3SignV4", web3SignV4],
]);

/** Teaches the client a trigger. */
export function setTriggerHandler(name: string, handler: TriggerHandler): void {
  handlers.set(name, handler);
}

export function setPlugins(specs: readonly PluginSpec[]): void {
  for (const name of Object.keys(Plugins)) delete Plugins[name];
  for (const { name, functions } of specs) {
    Plugins[name] = Object.fromEntries(
      functions.map((fn) => [fn, (params = {}, options = {}) => callPlugin(name, fn, params, options)]),
    );
  }
}

export function parsePluginSpecs(value: unknown): PluginSpec[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isJsonObject).map(({ name, functions }) => ({
    name: String(name),
    functions: Array.isArray(functions) ? functions.map(String) : [],
  }));
}

/** Calls `{plugin}_{function}`. Throws `Something went wrong` and the details. */
async function callPlugin(
  plugin: string,
  fn: string,
  params: object,
  options: PluginCallOptions,
): Promise<unknown> {
  const response = await Cloud.run<unknown>(`${plugin}_${fn}`, params);
  const data = isJsonObject(response) && isJsonObject(response.data) ? response.data : {};
  if (!data.success) {
    const details = isJsonObject(data.data) && "data" in data.data ? data.data.data : data.data;
    throw new Error(`Something went wrong\n${JSON.stringify(details ?? data, null, 2)}`);
  }
  const { result } = data;
  if (!isJsonObject(result) || !Array.isArray(result.triggers) || options.disableTriggers) {
    return isJsonObject(result) && "data" in result ? result.data : result;
  }
  return (await runTriggers(result.triggers)) || result.data;
}

async function runTriggers(list: readonly unknown[]): Promise<unknown> {
  for (const json of list) {
    const trigger = triggerOf(json);
    const handler = handlers.get(trigger.name);
    if (!handler) throw new Error(`Unknown trigger: "${trigger.name}"`);
    const running = handler(trigger);
    const response: unknown = trigger.shouldAwait ? await running : running;
    if (trigger.shouldReturnPayload) return { payload: trigger.data, response };
    if (trigger.shouldReturnResponse) return response;
  }
  return undefined;
}

function triggerOf(json: unknown): Trigger {
  if (!isJsonObject(json)) throw new Error('Unknown trigger: "undefined"');
  return {
    name: String(json.name),
    shouldAwait: json.shouldAwait === true,
    shouldReturnResponse: json.shouldReturnResponse === true,
    shouldReturnPayload: json.shouldReturnPayload === true,
    data: isJsonObject(json.data) ? json.data : json,
  };
}

function openUrl({ data }: Trigger): void {
  const { url, newTab } = data;
  // Only addresses of pages: a "javascript:" address would run what the server sent.
  if (typeof url !== "string" || !/^https?:\/\//i.test(url)) throw new Error("openUrl takes an http address");
  window.open(url, newTab ? "_blank" : "_self", newTab ? "noopener" : undefined);
}

import { isJsonObject } from "@purse/protocol";
import { Cloud } from "./cloud.ts";
import type { TriggerHandler } from "./pluginTriggers.ts";

/** A plugin of the server and the functions it offers. */
export interface PluginSpec {
  name: string;
  functions: readonly string[];
}

/** How a plugin's function is called. */
export interface PluginCallOptions {
  /** Returns the result without executing the triggers of the response. */
  disableTriggers?: boolean;
}

type PluginFunction = (params?: object, options?: PluginCallOptions) => Promise<unknown>;

/** The server's plugins: `Plugins.opensea.getAsset({...})`. */
export const Plugins: Record<string, Record<string, PluginFunction>> = {};

const customHandlers = /* @__PURE__ */ new Map<string, TriggerHandler>();

/** Registers a handler for a trigger, or replaces a built-in one. */
export function setTriggerHandler(name: string, handler: TriggerHandler): void {
  customHandlers.set(name, handler);
}

/** Sets the plugins of the server or application; invalid specs are ignored. */
export function setPlugins(specs: readonly unknown[]): void {
  for (const name of Object.keys(Plugins)) delete Plugins[name];
  addPlugins(specs);
}

/** Adds plugins to those that are set; invalid specs are ignored. */
export function addPlugins(specs: readonly unknown[]): void {
  for (const { name, functions } of parsePluginSpecs(specs)) {
    Plugins[name] = Object.fromEntries(
      functions.map((fn) => [fn, (params = {}, options = {}) => run(name, fn, params, options)]),
    );
  }
}

function parsePluginSpecs(specs: readonly unknown[]): PluginSpec[] {
  return specs.filter(isJsonObject).map(({ name, functions }) => ({
    name: String(name),
    functions: Array.isArray(functions) ? functions.map(String) : [],
  }));
}

/** Calls a plugin's function by name. Rejects if the server has no such plugin. */
export async function callPlugin(
  plugin: string,
  fn: string,
  params: object = {},
  options: PluginCallOptions = {},
): Promise<unknown> {
  const call = Object.hasOwn(Plugins, plugin) ? Plugins[plugin]?.[fn] : undefined;
  if (!call) throw new Error(`${plugin} plugin has not been installed or initialized`);
  return call(params, options);
}

/** Calls `{plugin}_{function}` and executes the triggers of its response. Throws `Something went wrong` with details. */
async function run(
  plugin: string,
  fn: string,
  params: object,
  { disableTriggers }: PluginCallOptions,
): Promise<unknown> {
  const { payload, triggers } = parseResponse(await Cloud.run(`${plugin}_${fn}`, params));
  if (disableTriggers || triggers.length === 0) return payload;
  // Triggers, and with them the wallet code, are loaded only for responses that have any.
  const { runTriggers } = await import("./pluginTriggers.ts");
  return (await runTriggers(triggers, { payload, customHandlers, parseResponse })) || payload;
}

/** The payload and triggers of a plugin function's response. */
export interface PluginResponse {
  payload: unknown;
  triggers: readonly unknown[];
}

function parseResponse(response: unknown): PluginResponse {
  const data = isJsonObject(response) && isJsonObject(response.data) ? response.data : {};
  if (!data.success) {
    const details = isJsonObject(data.data) && "data" in data.data ? data.data.data : data.data;
    throw new Error(`Something went wrong\n${JSON.stringify(details ?? data, null, 2)}`);
  }
  const { result } = data;
  const triggers = isJsonObject(result) && Array.isArray(result.triggers) ? result.triggers : [];
  return { payload: result, triggers };
}

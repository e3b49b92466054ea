import { pathToFileURL } from "node:url";
import type { CloudFunction, Registry } from "./registry.ts";
import { assertDefinition } from "./registry.ts";

/**
 * A plugin adds functions to the server: clients call them as `Moralis.Plugins.NAME.FUNCTION(params)`. A module exports
 * one as default.
 */
export interface Plugin {
  /** Letters and digits, starting with a letter: the prefix of the function names. */
  name: string;
  functions: Readonly<Record<string, PluginFunction>>;
}

/** Returns data for the client and actions that it performs; errors are thrown by the client's call. */
export type PluginFunction = (request: Parameters<CloudFunction>[0]) => PluginResult | Promise<PluginResult>;

export interface PluginResult {
  data?: unknown;
  /** Performed by the client in order: open a URL, have the wallet sign or send. */
  triggers?: readonly PluginTrigger[];
}

export type PluginTrigger = TriggerFlags &
  (
    | { name: "openUrl"; data: { url: string; newTab?: boolean } }
    | { name: "web3Transaction"; data: { from?: string; to: string; value?: string; data?: string } }
    | { name: "web3Sign"; data: { message: string; signer: string } }
    | { name: "web3SignV4"; data: { parameters: readonly [string, string]; from: string } }
    | {
        name: "callPluginEndpoint";
        data: {
          pluginName: string;
          endpoint: string;
          params: object;
          useSavedResponse?: boolean;
          savedResponseAs?: string;
          savedResponseAt?: readonly string[];
          runResponseTrigger?: boolean;
        };
      }
  );

interface TriggerFlags {
  /** Whether the client waits: for a transaction until it is in a block. */
  shouldAwait?: boolean;
  saveResponse?: boolean;
  shouldReturnPayload?: boolean;
  shouldReturnResponse?: boolean;
}

const PLUGIN_NAME = /^[A-Za-z][A-Za-z0-9]*$/;

/** Loads plugins from their modules. Rejects if one is invalid. */
export async function loadPlugins(files: readonly string[], registry: Registry): Promise<void> {
  for (const file of files) {
    const module: { default?: unknown } = await import(pathToFileURL(file).href);
    if (!isPlugin(module.default)) {
      throw new Error(`${file} must export { name, functions } as default`);
    }
    definePlugin(module.default, registry);
  }
}

/** Adds a plugin's functions as `{plugin}_{function}`. Throws Error if the plugin is invalid. */
function definePlugin(plugin: Plugin, registry: Registry): void {
  const { name, functions } = plugin;
  if (!PLUGIN_NAME.test(name))
    throw new Error(`"${name}" is not a valid plugin name: use letters and digits`);
  if (registry.plugins.some((plugin) => plugin.name === name))
    throw new Error(`Plugin ${name} is defined twice`);
  for (const [functionName, run] of Object.entries(functions)) {
    const fullName = `${name}_${functionName}`;
    assertDefinition("function", fullName, run);
    registry.functions.set(fullName, {
      run: async (request) => toFunctionResult(await run(request)),
      validator: undefined,
    });
  }
  registry.plugins.push({ name, functions: Object.keys(functions) });
}

/** Wraps a result as clients of plugins expect it: without triggers the result is the data itself. */
function toFunctionResult({ data, triggers = [] }: PluginResult): object {
  const looksLikeTriggers = typeof data === "object" && data !== null && "triggers" in data;
  if (triggers.length === 0 && !looksLikeTriggers) return { data: { success: true, result: data ?? {} } };
  return { data: { success: true, result: { triggers: triggers.map(encodeTrigger), data } } };
}

/** A transaction keeps its `data`; other triggers have their data next to their name. */
function encodeTrigger({ data, ...trigger }: PluginTrigger): object {
  return trigger.name === "web3Transaction" ? { ...trigger, data } : { ...trigger, ...data };
}

function isPlugin(value: unknown): value is Plugin {
  return (
    typeof value === "object" &&
    value !== null &&
    "name" in value &&
    typeof value.name === "string" &&
    "functions" in value &&
    typeof value.functions === "object" &&
    value.functions !== null
  );
}

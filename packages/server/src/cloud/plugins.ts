import { pathToFileURL } from "node:url";
import type { CloudFunction, Registry } from "./registry.ts";
import { assertDefinition } from "./registry.ts";

/**
 * A part that adds functions to the server: clients find them as `Moralis.Plugins.NAME.FUNCTION(params)`.
 * A module exports one as default.
 */
export interface Plugin {
  /** Letters and digits, a letter first: it goes before the names of the functions. */
  name: string;
  functions: Readonly<Record<string, PluginFunction>>;
}

/** Answers what the client gets and what it is to do; what it throws, the client's call throws. */
export type PluginFunction = (request: Parameters<CloudFunction>[0]) => PluginResult | Promise<PluginResult>;

export interface PluginResult {
  data?: unknown;
  /** Done by the client one after the other: open an address, have the wallet sign or send. */
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

/** Loads plugins from their modules. Rejects with what is wrong with one. */
export async function loadPlugins(files: readonly string[], registry: Registry): Promise<void> {
  for (const file of files) {
    const module: { default?: unknown } = await import(pathToFileURL(file).href);
    if (!isPlugin(module.default)) {
      throw new Error(`${file} must export { name, functions } as default`);
    }
    definePlugin(module.default, registry);
  }
}

/** Adds a plugin's functions, named `{plugin}_{function}`. Throws Error where it cannot be. */
export function definePlugin(plugin: Plugin, registry: Registry): void {
  const { name, functions } = plugin;
  if (!PLUGIN_NAME.test(name)) throw new Error(`"${name}" cannot name a plugin: letters and digits can`);
  if (registry.plugins.some((known) => known.name === name)) throw new Error(`There are two plugins ${name}`);
  for (const [functionName, run] of Object.entries(functions)) {
    const full = `${name}_${functionName}`;
    assertDefinition("function", full, run);
    registry.functions.set(full, {
      run: async (request) => answered(await run(request)),
      validator: undefined,
    });
  }
  registry.plugins.push({ name, functions: Object.keys(functions) });
}

/**
 * What the clients of plugins expect around a result. They hand on the whole of it: where nothing is to be done that is
 * the data itself.
 */
function answered({ data, triggers = [] }: PluginResult): object {
  const isMistakable = typeof data === "object" && data !== null && "triggers" in data;
  if (triggers.length === 0 && !isMistakable) return { data: { success: true, result: data ?? {} } };
  return { data: { success: true, result: { triggers: triggers.map(wireTrigger), data } } };
}

/** A transaction stands under `data`, what other triggers need beside their name. */
function wireTrigger({ data, ...trigger }: PluginTrigger): object {
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

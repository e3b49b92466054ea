import "./globals.ts";

export {
  type Cloud,
  type ConfigTrigger,
  createCloud,
} from "./cloud.ts";
export { cloudSettings } from "./cloudSettings.ts";
export type { CloudNamespace } from "./namespace.ts";
export type { Plugin, PluginFunction, PluginResult, PluginTrigger } from "./plugins.ts";
export type { CloudHealth } from "./workerSupervisor.ts";

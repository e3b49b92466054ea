import "./globals.ts";

export type { LiveConnectionEvent, LiveTriggers } from "../data/objects/liveTriggers.ts";
export type { AuthTriggers } from "../data/objects/triggers.ts";
export {
  type BuiltInFunction,
  type Cloud,
  type CloudDependencies,
  type CloudHost,
  type ConfigTrigger,
  createCloud,
} from "./cloud.ts";
export type {
  AfterFindRequest,
  BeforeFindRequest,
  FileTriggerRequest,
  FunctionRequest,
  JobRequest,
  ObjectTriggerRequest,
} from "./cloudRequests.ts";
export { cloudSettings } from "./cloudSettings.ts";
export type { CloudFileTriggers } from "./fileTriggers.ts";
export type { CloudNamespace } from "./namespace.ts";
export type { Plugin, PluginFunction, PluginResult, PluginTrigger } from "./plugins.ts";
export type { Validator } from "./validator.ts";
export type { FileInfo, FileTriggerName, ServerSettings } from "./workerMessages.ts";

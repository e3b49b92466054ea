import "./globals.ts";

export {
  type BuiltInFunction,
  type Cloud,
  type CloudParts,
  createCloud,
  type LiveTriggers,
} from "./cloud.ts";
export type { FileFacts, FileTriggerName } from "./messages.ts";
export type { CloudNamespace } from "./namespace.ts";
export type { Plugin, PluginFunction, PluginResult, PluginTrigger } from "./plugins.ts";
export type {
  AfterFindRequest,
  BeforeFindRequest,
  FileTriggerRequest,
  FunctionRequest,
  JobRequest,
  ObjectTriggerRequest,
} from "./registry.ts";
export type { PeopleTriggers } from "./triggers.ts";
export type { Validator } from "./validator.ts";

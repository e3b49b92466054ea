import "./globals.ts";

export {
  type BuiltInFunction,
  type Cloud,
  type CloudParts,
  type ConfigTrigger,
  createCloud,
} from "./cloud.ts";
export type { FileTriggersOfCode } from "./fileTriggers.ts";
export type { LiveTriggers } from "./liveTriggers.ts";
export type { FileFacts, FileTriggerName, LiveConnectionEvent, ServerSettings } from "./messages.ts";
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
export { settingsForCode } from "./settingsForCode.ts";
export type { PeopleTriggers } from "./triggers.ts";
export type { Validator } from "./validator.ts";

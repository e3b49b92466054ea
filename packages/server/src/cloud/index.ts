import "./globals.ts";

export {
  type BuiltInFunction,
  type Cloud,
  type CloudDependencies as CloudParts,
  type ConfigTrigger,
  createCloud,
} from "./cloud.ts";
export { cloudSettings as settingsForCode } from "./cloudSettings.ts";
export type { CloudFileTriggers as FileTriggersOfCode } from "./fileTriggers.ts";
export type { LiveTriggers } from "./liveTriggers.ts";
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
export type { AuthTriggers as PeopleTriggers } from "./triggers.ts";
export type { Validator } from "./validator.ts";
export type {
  FileInfo as FileFacts,
  FileTriggerName,
  LiveConnectionEvent,
  ServerSettings,
} from "./workerMessages.ts";

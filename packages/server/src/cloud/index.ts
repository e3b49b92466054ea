import "./globals.ts";

export { type BuiltInFunction, type Cloud, type CloudParts, createCloud } from "./cloud.ts";
export type { CloudNamespace } from "./namespace.ts";
export type {
  AfterFindRequest,
  BeforeFindRequest,
  FunctionRequest,
  ObjectTriggerRequest,
} from "./registry.ts";

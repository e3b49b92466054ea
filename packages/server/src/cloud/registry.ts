import type { Config, ParseFile, ParseObject, Query, User } from "@purse/client";
import type { JsonObject } from "@purse/protocol";
import type { Logger } from "../core/logger.ts";
import { CONFIG_CLASS } from "./classNames.ts";
import { rateLimitsOf } from "./rateLimitRules.ts";
import { assertValidator, type Validator } from "./validator.ts";
import type {
  ConfigTriggerName,
  Definitions,
  FileTriggerName,
  LiveConnectionEvent,
  ScheduleDefinition,
  TriggerName,
} from "./workerMessages.ts";

/** Properties of the request that every function and trigger receives. */
export interface CloudRequest {
  /** The signed-in user. Its session is used only if the code passes its token on. */
  user: User | undefined;
  /** Whether the master key was used. */
  master: boolean;
  /** Whether it was the read-only master key. */
  isReadOnly: boolean;
  installationId: string | undefined;
  /** The `context` of the client; values set by a before trigger are available to the after trigger. */
  context: JsonObject;
  /** The client's address. */
  ip: string;
  /** The HTTP headers of the request, with lowercase names. */
  headers: Record<string, string>;
  log: Logger;
}

export interface FunctionRequest extends CloudRequest {
  /** Decoded parameters: dates are Date objects, pointers are Parse objects. */
  params: Record<string, unknown>;
  functionName: string;
}

/** The response object of functions with two parameters, as in Express. */
export interface FunctionResponse {
  success(result?: unknown): void;
  error(reason?: unknown): void;
  status(code: number): FunctionResponse;
  header(name: string, value: string): FunctionResponse;
}

export interface JobRequest extends CloudRequest {
  params: Record<string, unknown>;
  jobName: string;
  /** The id of the job's `_JobStatus`. */
  jobId: string;
  /** Stores a progress message of the job. */
  message(text: string): Promise<void>;
}

export interface ObjectTriggerRequest extends CloudRequest {
  triggerName: TriggerName;
  /** Before a save: the object with the requested changes, which may be changed further. */
  object: ParseObject;
  /** The previous object; undefined for a new one. */
  original: ParseObject | undefined;
}

export interface BeforeFindRequest extends CloudRequest {
  triggerName: "beforeFind";
  query: Query;
  /** Whether the query counts objects. */
  count: boolean;
  /** Whether the query gets a single object by its id. */
  isGet: boolean;
}

export interface AfterFindRequest extends CloudRequest {
  triggerName: "afterFind";
  query: Query;
  objects: ParseObject[];
  isGet: boolean;
}

export interface FileTriggerRequest extends CloudRequest {
  triggerName: TriggerName;
  file: ParseFile;
  /** In bytes. */
  fileSize: number | undefined;
  contentLength: number | undefined;
  /** In afterFind: set to true to have browsers download the file instead of displaying it. */
  forceDownload: boolean;
}

export interface ConfigTriggerRequest extends CloudRequest {
  triggerName: ConfigTriggerName;
  /** Before a save: the settings to save. After it: all settings. */
  object: Config;
  /** All previous settings; undefined if there were none. */
  original: Config | undefined;
}

export interface ConnectRequest extends CloudRequest {
  event: "connect";
  clients: number;
  subscriptions: number;
  sessionToken: string | undefined;
}

export interface SubscribeRequest extends CloudRequest {
  event: "subscribe";
  query: Query;
  sessionToken: string | undefined;
}

export interface LiveEventRequest extends CloudRequest {
  event: string;
  object: ParseObject | undefined;
  original: ParseObject | undefined;
  clients: number;
  subscriptions: number;
  /** Set to false to suppress the event. */
  sendEvent: boolean;
}

/** May throw: a string or an Error is answered with 141, a Parse.Error with its own code. */
export type CloudFunction = (request: FunctionRequest, response: FunctionResponse) => unknown;
export type Job = (request: JobRequest) => unknown;
export type ObjectTrigger = (request: ObjectTriggerRequest) => unknown;
/** May change the query, or return another query, or an object or a list of objects that replace its result. */
export type BeforeFindTrigger = (request: BeforeFindRequest) => unknown;
/** Returns the objects to send instead; undefined to send those that were found. */
export type AfterFindTrigger = (request: AfterFindRequest) => unknown;
/** Before a save: may return another file, or the changed file. Around a download: another file, or `{ file }`. */
export type FileTrigger = (request: FileTriggerRequest) => unknown;
/** Its errors are sent to the client that saves; its return value is ignored. */
export type ConfigTrigger = (request: ConfigTriggerRequest) => unknown;
export type ConnectTrigger = (request: ConnectRequest) => unknown;
export type SubscribeTrigger = (request: SubscribeRequest) => unknown;
export type LiveEventTrigger = (request: LiveEventRequest) => unknown;
/** Called with connection events of live queries; its return value and errors are ignored. */
export type LiveConnectionHandler = (
  event: Omit<LiveConnectionEvent, "clientId"> & { client: { id: string } },
) => unknown;

export interface Registration<F> {
  run: F;
  validator: Validator | undefined;
}

/** Everything that the cloud code has defined; triggers by class name. */
export interface Registry {
  functions: Map<string, Registration<CloudFunction>>;
  jobs: Map<string, Job>;
  /** By trigger and class: `beforeSave.Note`. */
  objectTriggers: Map<string, Registration<ObjectTrigger>>;
  beforeFind: Map<string, Registration<BeforeFindTrigger>>;
  afterFind: Map<string, Registration<AfterFindTrigger>>;
  /** `triggerName` is the name used by the code: `beforeSave` of `Parse.File`, or `beforeSaveFile`. */
  files: Map<FileTriggerName, Registration<FileTrigger> & { triggerName: TriggerName }>;
  config: Map<ConfigTriggerName, Registration<ConfigTrigger>>;
  beforeConnect: Registration<ConnectTrigger> | undefined;
  beforeSubscribe: Map<string, Registration<SubscribeTrigger>>;
  afterLiveQueryEvent: Map<string, Registration<LiveEventTrigger>>;
  onLiveQueryEvent: LiveConnectionHandler[];
  schedules: ScheduleDefinition[];
  watches: JsonObject[];
  plugins: { name: string; functions: string[] }[];
}

export function newRegistry(): Registry {
  return {
    functions: new Map(),
    jobs: new Map(),
    objectTriggers: new Map(),
    beforeFind: new Map(),
    afterFind: new Map(),
    files: new Map(),
    config: new Map(),
    beforeConnect: undefined,
    beforeSubscribe: new Map(),
    afterLiveQueryEvent: new Map(),
    onLiveQueryEvent: [],
    schedules: [],
    watches: [],
    plugins: [],
  };
}

/** Removes all functions, jobs and triggers except those of plugins. */
export function clearRegistry(registry: Registry): void {
  const pluginFunctions = new Set(
    registry.plugins.flatMap(({ name, functions }) => functions.map((each) => `${name}_${each}`)),
  );
  for (const name of [...registry.functions.keys()]) {
    if (!pluginFunctions.has(name)) registry.functions.delete(name);
  }
  registry.beforeConnect = undefined;
  registry.onLiveQueryEvent.length = 0;
  for (const map of [
    registry.jobs,
    registry.objectTriggers,
    registry.beforeFind,
    registry.afterFind,
    registry.files,
    registry.config,
    registry.beforeSubscribe,
    registry.afterLiveQueryEvent,
  ]) {
    map.clear();
  }
}

/** Returns the definitions of a registry that the server needs. */
export function definitionsOf(registry: Registry): Definitions {
  const triggerKeys = (trigger: string, map: ReadonlyMap<string, unknown>) =>
    [...map.keys()].map((className) => `${trigger}.${className}`);
  return {
    functions: [...registry.functions.keys()],
    jobs: [...registry.jobs.keys()],
    triggers: [
      ...registry.objectTriggers.keys(),
      ...triggerKeys("beforeFind", registry.beforeFind),
      ...triggerKeys("afterFind", registry.afterFind),
      ...registry.files.keys(),
      ...[...registry.config.keys()].map((trigger) => `${trigger}.${CONFIG_CLASS}`),
      ...(registry.beforeConnect ? ["beforeConnect"] : []),
      ...triggerKeys("beforeSubscribe", registry.beforeSubscribe),
      ...triggerKeys("afterLiveQueryEvent", registry.afterLiveQueryEvent),
      ...(registry.onLiveQueryEvent.length > 0 ? ["onLiveQueryEvent"] : []),
    ],
    schedules: registry.schedules,
    watches: registry.watches,
    plugins: registry.plugins,
    rateLimits: rateLimitsOf(registry),
  };
}

const FUNCTION_NAME = /^[A-Za-z_][\w-]*(\.[\w-]+)*$/;

/** Throws Error if a function or job has an invalid name or definition. */
export function assertDefinition(kind: string, name: string, run: unknown, validator?: unknown): void {
  if (!FUNCTION_NAME.test(name)) {
    throw new Error(
      `"${name}" cannot name a cloud ${kind}: letters, digits, _, - and dots between them can, a letter first`,
    );
  }
  if (typeof run !== "function") throw new Error(`The cloud ${kind} ${name} must be a function`);
  assertValidator(name, validator);
}

import type { Config, ParseFile, ParseObject, Query, User } from "@purse/client";
import type { JsonObject } from "@purse/protocol";
import type { Log } from "../observe/log.ts";
import { CONFIG_CLASS } from "./classNames.ts";
import type {
  ConfigTriggerName,
  Definitions,
  FileTriggerName,
  LiveConnectionEvent,
  ScheduleDefinition,
  TriggerName,
} from "./messages.ts";
import { rateLimitsOf } from "./rateLimitRules.ts";
import { assertValidator, type Validator } from "./validator.ts";

/** What every function and trigger is told of who caused it. */
export interface CloudRequest {
  /** Who is signed in. Its session is used only where code passes its token on. */
  user: User | undefined;
  /** Whether the master key was used. */
  master: boolean;
  /** Whether it was the master key that may only look. */
  isReadOnly: boolean;
  installationId: string | undefined;
  /** What the client passed as `context`; what a before trigger puts in, the after trigger finds. */
  context: JsonObject;
  /** The client's address. */
  ip: string;
  /** The HTTP headers of the request, names in lower case. */
  headers: Record<string, string>;
  log: Log;
}

export interface FunctionRequest extends CloudRequest {
  /** The parameters, decoded: dates are Dates, pointers are objects. */
  params: Record<string, unknown>;
  functionName: string;
}

/** By which functions of two parameters answer, as in Express. */
export interface FunctionResponse {
  success(result?: unknown): void;
  error(reason?: unknown): void;
  status(code: number): FunctionResponse;
  header(name: string, value: string): FunctionResponse;
}

export interface JobRequest extends CloudRequest {
  params: Record<string, unknown>;
  jobName: string;
  /** Of the job's `_JobStatus`. */
  jobId: string;
  /** Puts down how far the job has come. */
  message(text: string): Promise<void>;
}

export interface ObjectTriggerRequest extends CloudRequest {
  triggerName: TriggerName;
  /** Before a save: with the changes that were asked for, which may be changed further. */
  object: ParseObject;
  /** The object as it was; undefined for a new one. */
  original: ParseObject | undefined;
}

export interface BeforeFindRequest extends CloudRequest {
  triggerName: "beforeFind";
  query: Query;
  /** Whether the number of objects was asked for. */
  count: boolean;
  /** Whether one object was asked for by its id. */
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
  /** Of an afterFind: set to true, browsers keep the file instead of showing it. */
  forceDownload: boolean;
}

export interface ConfigTriggerRequest extends CloudRequest {
  triggerName: ConfigTriggerName;
  /** Before: the settings that are to be saved. After: all settings as they are now. */
  object: Config;
  /** All settings as they were; undefined where there were none. */
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
  /** Set to false: the event is not sent. */
  sendEvent: boolean;
}

/** May throw: a text or an Error is answered with 141, a Parse.Error with its own code. */
export type CloudFunction = (request: FunctionRequest, response: FunctionResponse) => unknown;
export type Job = (request: JobRequest) => unknown;
export type ObjectTrigger = (request: ObjectTriggerRequest) => unknown;
/** May change the query, or answer another one, or an object or a list of objects in the place of what it finds. */
export type BeforeFindTrigger = (request: BeforeFindRequest) => unknown;
/** Answers the objects to tell instead; undefined for those that were found. */
export type AfterFindTrigger = (request: AfterFindRequest) => unknown;
/** Before a save: may answer another file, or the file changed. Around a download: another file, or `{ file }`. */
export type FileTrigger = (request: FileTriggerRequest) => unknown;
/** What it throws is answered to whoever saves; what it returns does not count. */
export type ConfigTrigger = (request: ConfigTriggerRequest) => unknown;
export type ConnectTrigger = (request: ConnectRequest) => unknown;
export type SubscribeTrigger = (request: SubscribeRequest) => unknown;
export type LiveEventTrigger = (request: LiveEventRequest) => unknown;
/** Called with what happens to the connections of live queries; what it returns or throws changes nothing. */
export type LiveConnectionHandler = (
  event: Omit<LiveConnectionEvent, "clientId"> & { client: { id: string } },
) => unknown;

export interface Guarded<F> {
  run: F;
  validator: Validator | undefined;
}

/** What the cloud code has defined; triggers by class name. */
export interface Registry {
  functions: Map<string, Guarded<CloudFunction>>;
  jobs: Map<string, Job>;
  /** By trigger and class: `beforeSave.Note`. */
  objectTriggers: Map<string, Guarded<ObjectTrigger>>;
  beforeFind: Map<string, Guarded<BeforeFindTrigger>>;
  afterFind: Map<string, Guarded<AfterFindTrigger>>;
  /** `triggerName` is what the code calls it: `beforeSave` of `Parse.File`, or `beforeSaveFile`. */
  files: Map<FileTriggerName, Guarded<FileTrigger> & { triggerName: TriggerName }>;
  config: Map<ConfigTriggerName, Guarded<ConfigTrigger>>;
  beforeConnect: Guarded<ConnectTrigger> | undefined;
  beforeSubscribe: Map<string, Guarded<SubscribeTrigger>>;
  afterLiveQueryEvent: Map<string, Guarded<LiveEventTrigger>>;
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

/** Takes out all functions, jobs and triggers; those of plugins stay. */
export function clearRegistry(registry: Registry): void {
  const ofPlugins = new Set(
    registry.plugins.flatMap(({ name, functions }) => functions.map((each) => `${name}_${each}`)),
  );
  for (const name of [...registry.functions.keys()]) {
    if (!ofPlugins.has(name)) registry.functions.delete(name);
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

/** What the server has to know of a registry. */
export function definitionsOf(registry: Registry): Definitions {
  const of = (trigger: string, map: ReadonlyMap<string, unknown>) =>
    [...map.keys()].map((className) => `${trigger}.${className}`);
  return {
    functions: [...registry.functions.keys()],
    jobs: [...registry.jobs.keys()],
    triggers: [
      ...registry.objectTriggers.keys(),
      ...of("beforeFind", registry.beforeFind),
      ...of("afterFind", registry.afterFind),
      ...registry.files.keys(),
      ...[...registry.config.keys()].map((trigger) => `${trigger}.${CONFIG_CLASS}`),
      ...(registry.beforeConnect ? ["beforeConnect"] : []),
      ...of("beforeSubscribe", registry.beforeSubscribe),
      ...of("afterLiveQueryEvent", registry.afterLiveQueryEvent),
      ...(registry.onLiveQueryEvent.length > 0 ? ["onLiveQueryEvent"] : []),
    ],
    schedules: registry.schedules,
    watches: registry.watches,
    plugins: registry.plugins,
    rateLimits: rateLimitsOf(registry),
  };
}

const FUNCTION_NAME = /^[A-Za-z_][\w-]*(\.[\w-]+)*$/;

/** Throws Error where a name or what goes with it cannot define a function or job. */
export function assertDefinition(what: string, name: string, run: unknown, validator?: unknown): void {
  if (!FUNCTION_NAME.test(name)) {
    throw new Error(
      `"${name}" cannot name a cloud ${what}: letters, digits, _, - and dots between them can, a letter first`,
    );
  }
  if (typeof run !== "function") throw new Error(`The cloud ${what} ${name} must be a function`);
  assertValidator(name, validator);
}

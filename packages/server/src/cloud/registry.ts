import type { ParseFile, ParseObject, Query, User } from "@purse/client";
import type { JsonObject } from "@purse/protocol";
import type { Log } from "../observe/log.ts";
import type { Definitions, ScheduleDefinition, TriggerName } from "./messages.ts";
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
/** Before: may answer another file, or the file changed. */
export type FileTrigger = (request: FileTriggerRequest) => unknown;
export type ConnectTrigger = (request: ConnectRequest) => unknown;
export type SubscribeTrigger = (request: SubscribeRequest) => unknown;
export type LiveEventTrigger = (request: LiveEventRequest) => unknown;

/** A class by name, or the constructor of one. */
export type ClassReference = string | { readonly className?: string; readonly name?: string };

interface Guarded<F> {
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
  files: Map<string, Guarded<FileTrigger>>;
  beforeConnect: Guarded<ConnectTrigger> | undefined;
  beforeSubscribe: Map<string, Guarded<SubscribeTrigger>>;
  afterLiveQueryEvent: Map<string, Guarded<LiveEventTrigger>>;
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
    beforeConnect: undefined,
    beforeSubscribe: new Map(),
    afterLiveQueryEvent: new Map(),
    schedules: [],
    watches: [],
    plugins: [],
  };
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
      ...(registry.beforeConnect ? ["beforeConnect"] : []),
      ...of("beforeSubscribe", registry.beforeSubscribe),
      ...of("afterLiveQueryEvent", registry.afterLiveQueryEvent),
    ],
    schedules: registry.schedules,
    watches: registry.watches,
    plugins: registry.plugins,
    rateLimits: rateLimitsOf(registry),
  };
}

/** Stands for the files among the classes of triggers. */
export const FILE_CLASS = "@File";

const SYSTEM_NAMES: ReadonlySet<string> = new Set(["User", "Role", "Session", "Installation"]);

/** The name of the class; the classes of the SDK stand for the server's own. Throws Error. */
export function classNameOf(reference: ClassReference): string {
  const name = typeof reference === "string" ? reference : (reference.className ?? reference.name ?? "");
  if (typeof reference !== "string" && (name === "ParseFile" || name === "File")) return FILE_CLASS;
  if (SYSTEM_NAMES.has(name)) return `_${name}`;
  if (name) return name;
  throw new Error("A trigger needs the name of a class");
}

/** Throws Error where a class has no such trigger. */
export function assertTrigger(trigger: TriggerName, className: string): void {
  if (className === "_PushStatus" && trigger === "beforeSave") {
    throw new Error("Only afterSave is allowed on _PushStatus");
  }
  if (className === "_Session" && trigger !== "afterLogout") {
    throw new Error("Only the afterLogout trigger is allowed for the _Session class.");
  }
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

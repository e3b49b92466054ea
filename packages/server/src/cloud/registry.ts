import type { JsonObject } from "@purse/protocol";
import type { LiveConnectionEvent } from "../data/objects/liveTriggers.ts";
import type {
  AfterFindRequest,
  BeforeFindRequest,
  ConfigTriggerRequest,
  ConnectRequest,
  FileTriggerRequest,
  FunctionRequest,
  FunctionResponse,
  JobRequest,
  LiveEventRequest,
  ObjectTriggerRequest,
  SubscribeRequest,
} from "./cloudRequests.ts";
import { assertValidator, type Validator } from "./validator.ts";
import type { OnUnknownRule } from "./validatorRules.ts";
import type {
  ConfigTriggerName,
  FileTriggerName,
  ScheduleDefinition,
  TriggerName,
} from "./workerMessages.ts";

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

/** Receives the fields of an on-chain event; returns whether it is stored. */
export type ConsumeTrigger = (event: JsonObject) => unknown;

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
  beforeConsume: Map<string, ConsumeTrigger>;
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
    beforeConsume: new Map(),
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
    registry.beforeConsume,
  ]) {
    map.clear();
  }
}

const FUNCTION_NAME = /^[A-Za-z_][\w-]*(\.[\w-]+)*$/;

/** Throws Error if a function or job has an invalid name or definition. */
export function assertDefinition(
  kind: string,
  name: string,
  run: unknown,
  validator?: unknown,
  onUnknownRule?: OnUnknownRule,
): void {
  if (!FUNCTION_NAME.test(name)) {
    throw new Error(
      `"${name}" cannot name a cloud ${kind}: letters, digits, _, - and dots between them can, a letter first`,
    );
  }
  if (typeof run !== "function") throw new Error(`The cloud ${kind} ${name} must be a function`);
  assertValidator(name, validator, onUnknownRule);
}

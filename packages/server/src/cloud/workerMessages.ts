import type { ErrorContent, JsonObject, JsonValue, Operation } from "@purse/protocol";
import type { RateLimit } from "../config/rateLimits.ts";
import type { FormFile } from "../core/functionCall.ts";
import type { InternalRequest } from "../core/http/apiRoute.ts";
import type { LogFields, LogLevel } from "../core/logger.ts";
import type { BulkOperation } from "../data/objects/bulkWrites.ts";
import type { LiveConnectionEvent, LiveEvent } from "../data/objects/liveTriggers.ts";

/*
 * Messages between the server and the worker that runs the cloud code. Everything is plain data, because it is copied.
 */

/** Triggers of a single object. */
export const OBJECT_TRIGGERS = [
  "beforeSave",
  "afterSave",
  "beforeDelete",
  "afterDelete",
  "beforeLogin",
  "afterLogin",
  "afterLogout",
  "beforePasswordResetRequest",
] as const;
export const QUERY_TRIGGERS = ["beforeFind", "afterFind"] as const;
const FILE_TRIGGERS = [
  "beforeSaveFile",
  "afterSaveFile",
  "beforeDeleteFile",
  "afterDeleteFile",
  "beforeFindFile",
  "afterFindFile",
] as const;
/** Triggers of the application's settings (`Parse.Config`). */
const CONFIG_TRIGGERS = ["beforeSave", "afterSave"] as const;
const LIVE_TRIGGERS = ["beforeConnect", "beforeSubscribe", "afterLiveQueryEvent"] as const;

export type ObjectTriggerName = (typeof OBJECT_TRIGGERS)[number];
type QueryTriggerName = (typeof QUERY_TRIGGERS)[number];
export type FileTriggerName = (typeof FILE_TRIGGERS)[number];
export type ConfigTriggerName = (typeof CONFIG_TRIGGERS)[number];
type LiveTriggerName = (typeof LIVE_TRIGGERS)[number];
export type TriggerName = ObjectTriggerName | QueryTriggerName | FileTriggerName | LiveTriggerName;

/** The request that caused an invocation. */
export interface CallContext {
  /** The user as JSON text, with `sessionToken`: parsed only by code that reads it. Undefined if no user is signed in. */
  user: string | undefined;
  /** Names of the user's roles. */
  roles: string[];
  master: boolean;
  isReadOnly: boolean;
  installationId: string | undefined;
  context: JsonObject;
  ip: string;
  headers: Record<string, string>;
  requestId: string;
  /** The client among which threads are shared fairly; undefined for the server itself. Code does not see it. */
  client: string | undefined;
}

/** A file as file triggers see it; `base64` if its content is loaded. */
export interface FileInfo {
  name: string;
  url?: string | undefined;
  contentType?: string | undefined;
  base64?: string | undefined;
  /** In bytes. */
  fileSize?: number | undefined;
  metadata?: JsonObject | undefined;
  tags?: JsonObject | undefined;
}

/** What a find trigger decides about a download. */
export interface FileDownload {
  /** The name of the file that is sent instead. */
  name?: string;
  /** Replaced content in base64. */
  base64?: string;
  /** Whether browsers download the file instead of displaying it. */
  forceDownload?: boolean;
}

/** A function, job or trigger for the worker to execute. */
export type Invocation =
  | {
      kind: "function";
      name: string;
      params: JsonObject;
      /** Files by parameter, if the function is called with a form. */
      formFiles?: Readonly<Record<string, FormFile>>;
      callContext: CallContext;
    }
  | { kind: "job"; name: string; params: JsonObject; jobId: string; callContext: CallContext }
  | {
      kind: "beforeSave";
      className: string;
      operations: Record<string, Operation>;
      /** The id that the client chose for a new object. */
      customId?: string | undefined;
      original: JsonObject | undefined;
      callContext: CallContext;
    }
  | {
      kind: "object";
      trigger: Exclude<ObjectTriggerName, "beforeSave">;
      className: string;
      object: JsonObject;
      original: JsonObject | undefined;
      /** Whether the object existed before. */
      existed: boolean;
      callContext: CallContext;
    }
  | { kind: "beforeFind"; className: string; params: JsonObject; isGet: boolean; callContext: CallContext }
  | {
      kind: "afterFind";
      className: string;
      objects: JsonObject[];
      params: JsonObject;
      isGet: boolean;
      callContext: CallContext;
    }
  | { kind: "file"; trigger: FileTriggerName; file: FileInfo; callContext: CallContext }
  /** `params`: the settings to save or, after the save, all settings; `original`: the previous ones. */
  | {
      kind: "config";
      trigger: ConfigTriggerName;
      params: JsonObject;
      original: JsonObject | undefined;
      callContext: CallContext;
    }
  | { kind: "liveConnection"; event: LiveConnectionEvent; callContext: CallContext }
  /** `sessionToken` as it was sent: it may be invalid. */
  | {
      kind: "connect";
      clientId: string;
      useMasterKey: boolean;
      clients: number;
      subscriptions: number;
      sessionToken?: string;
      callContext: CallContext;
    }
  | {
      kind: "subscribe";
      className: string;
      params: JsonObject;
      requestId: number | string;
      callContext: CallContext;
    }
  /** An on-chain event that is about to be stored; the result is whether it is. */
  | { kind: "consume"; className: string; event: JsonObject; callContext: CallContext }
  | { kind: "liveEvent"; className: string; event: LiveEvent; callContext: CallContext };

/** The result of an invocation. */
export interface InvocationResult {
  /** The result of a function, or the replacement that a trigger returned. */
  value?: JsonValue | undefined;
  /** Of a beforeFind: the objects that replace the result of the query. */
  objects?: JsonObject[];
  /**
   * Of a beforeSave: encoded values and operations to set, and keys to unset. Of an afterSave: what it changed of the
   * saved object.
   */
  changes?: { set: JsonObject; unset: string[] };
  /** The request's context after the trigger. */
  context?: JsonObject;
  /** HTTP status and headers that a function set. */
  status?: number;
  headers?: Record<string, string>;
}

export interface ScheduleDefinition {
  jobName: string;
  cron: string;
  params: JsonObject;
  /** Whether missed runs are made up for once, or skipped. */
  catchUp: "once" | "skip";
  /** Time limit of a run, in ms; undefined for no limit. */
  deadlineMs: number | undefined;
}

/** Everything that the cloud code has registered. */
export interface Definitions {
  functions: string[];
  jobs: string[];
  /** `beforeSave.Note`, `beforeConnect`. */
  triggers: string[];
  schedules: ScheduleDefinition[];
  /** Chain watches, as they were defined. */
  watches: JsonObject[];
  plugins: { name: string; functions: string[] }[];
  /** Rate limits of validators. */
  rateLimits: RateLimit[];
}

export const NO_DEFINITIONS: Definitions = {
  functions: [],
  jobs: [],
  triggers: [],
  schedules: [],
  watches: [],
  plugins: [],
  rateLimits: [],
};

/** An error to be sent to the client. */
export interface RemoteError {
  code: number;
  message: ErrorContent;
  status?: number | undefined;
}

export interface WorkerStartData {
  file: string;
  plugins: string[];
  logLevel: LogLevel;
  /** The content of `Parse.Server`: settings without secrets, and the URLs of the server. */
  settings: ServerSettings;
  /** Maximum size of a response, in bytes: larger results are not copied to the server. */
  maxAnswerBytes: number;
  /** The memory of `InvocationSlots`. */
  slots: SharedArrayBuffer;
}

/** Settings that cloud code may read, under their names in Parse Server. */
export interface ServerSettings {
  applicationId: string;
  appId: string;
  appName: string;
  /** The URL of the Parse API as clients see it. */
  serverURL: string;
  publicServerURL: string;
  mountPath: string;
  [name: string]: JsonValue;
}

/** From the server to the worker. */
export type HostMessage =
  | { kind: "invoke"; id: number; depth: number; traceparent?: string; invocation: Invocation }
  | { kind: "hostResponse"; id: number; value: JsonValue }
  | { kind: "hostError"; id: number; error: RemoteError }
  | { kind: "ping" };

/** A request of cloud code to the server. */
export type HostRequest =
  | { kind: "dispatch"; request: InternalRequest }
  | { kind: "sendEmail"; mail: { to: string; subject: string; text: string; html?: string } }
  | { kind: "jobMessage"; jobId: string; message: string }
  /** Downloads a file by its URL; the result is in base64. */
  | { kind: "download"; url: string }
  | { kind: "bulk"; operation: BulkOperation; className: string; items: JsonValue }
  /** Calls a method of a chain's node (JSON-RPC). */
  | { kind: "chainCall"; chain: string; method: string; params: JsonValue[] };

/** From the worker to the server. */
export type WorkerMessage =
  | { kind: "ready"; definitions: Definitions }
  /** The files of the code, to be watched. */
  | { kind: "files"; files: string[] }
  | { kind: "loadFailed"; error: string; location: string | undefined }
  | { kind: "definitions"; definitions: Definitions }
  | { kind: "result"; id: number; result: InvocationResult }
  | { kind: "error"; id: number; error: RemoteError }
  | { kind: "hostRequest"; id: number; depth: number; traceparent?: string; hostRequest: HostRequest }
  | { kind: "log"; level: Exclude<LogLevel, "silent">; message: string; fields: LogFields }
  /** Invocations have begun that have sent nothing else. */
  | { kind: "begun" };

import type { JsonObject, JsonValue, Operation } from "@purse/protocol";
import type { RateLimit } from "../config/rateLimits.ts";
import type { InnerRequest } from "../http/api.ts";
import type { LogFields, LogLevel } from "../observe/log.ts";

/*
 * What the server and the thread that runs the cloud code tell each other. Everything is plain data:
 * it is copied on its way.
 */

/** Triggers of one object, which run with it and may refuse. */
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
export const FILE_TRIGGERS = [
  "beforeSaveFile",
  "afterSaveFile",
  "beforeDeleteFile",
  "afterDeleteFile",
  "beforeFindFile",
  "afterFindFile",
] as const;
/** Around the application's settings (`Parse.Config`). */
export const CONFIG_TRIGGERS = ["beforeSave", "afterSave"] as const;
export const LIVE_TRIGGERS = ["beforeConnect", "beforeSubscribe", "afterLiveQueryEvent"] as const;

export type ObjectTriggerName = (typeof OBJECT_TRIGGERS)[number];
export type QueryTriggerName = (typeof QUERY_TRIGGERS)[number];
export type FileTriggerName = (typeof FILE_TRIGGERS)[number];
export type ConfigTriggerName = (typeof CONFIG_TRIGGERS)[number];
export type LiveTriggerName = (typeof LIVE_TRIGGERS)[number];
export type TriggerName = ObjectTriggerName | QueryTriggerName | FileTriggerName | LiveTriggerName;

/** Who caused it. */
export interface Cause {
  /** With `sessionToken`; undefined where nobody is signed in. */
  user: JsonObject | undefined;
  /** Names of the caller's roles. */
  roles: string[];
  master: boolean;
  isReadOnly: boolean;
  installationId: string | undefined;
  context: JsonObject;
  ip: string;
  headers: Record<string, string>;
  requestId: string;
}

/** A file as file triggers see it; `base64` where its content is at hand. */
export interface FileFacts {
  name: string;
  url?: string | undefined;
  contentType?: string | undefined;
  base64?: string | undefined;
  /** In bytes. */
  fileSize?: number | undefined;
  metadata?: JsonObject | undefined;
  tags?: JsonObject | undefined;
}

/** What a find trigger decides about a file that is downloaded. */
export interface FileDownload {
  /** The name of the file that is sent instead. */
  name?: string;
  /** Other content, base64. */
  base64?: string;
  /** Whether browsers keep the file instead of showing it. */
  forceDownload?: boolean;
}

/** What happens to the connections of live queries, as `onLiveQueryEvent` sees it. */
export interface LiveConnectionEvent {
  event: "ws_connect" | "connect" | "subscribe" | "unsubscribe" | "ws_disconnect" | "ws_disconnect_error";
  clientId: string;
  useMasterKey: boolean;
  installationId: string | undefined;
  sessionToken: string | undefined;
  /** Open connections and subscriptions of this process. */
  clients: number;
  subscriptions: number;
  /** Why a socket failed. */
  error?: string;
}

/** One live-query event: what happened to an object that somebody listens to. */
export interface LiveEventFacts {
  event: string;
  className: string;
  object: JsonObject;
  original: JsonObject | undefined;
  clients: number;
  subscriptions: number;
}

/** Something that cloud code has to do. */
export type Task =
  | { kind: "function"; name: string; params: JsonObject; cause: Cause }
  | { kind: "job"; name: string; params: JsonObject; jobId: string; cause: Cause }
  | {
      kind: "beforeSave";
      className: string;
      operations: Record<string, Operation>;
      original: JsonObject | undefined;
      cause: Cause;
    }
  | {
      kind: "object";
      trigger: Exclude<ObjectTriggerName, "beforeSave">;
      className: string;
      object: JsonObject;
      original: JsonObject | undefined;
      /** Whether the object was there before. */
      existed: boolean;
      cause: Cause;
    }
  | { kind: "beforeFind"; className: string; params: JsonObject; isGet: boolean; cause: Cause }
  | {
      kind: "afterFind";
      className: string;
      objects: JsonObject[];
      params: JsonObject;
      isGet: boolean;
      cause: Cause;
    }
  | { kind: "file"; trigger: FileTriggerName; file: FileFacts; cause: Cause }
  /** The settings that are saved, or all of them once they are; `original` as they were. */
  | {
      kind: "config";
      trigger: ConfigTriggerName;
      params: JsonObject;
      original: JsonObject | undefined;
      cause: Cause;
    }
  | { kind: "liveConnection"; facts: LiveConnectionEvent; cause: Cause }
  /** `sessionToken` as it was sent: it may be none. */
  | { kind: "connect"; clients: number; subscriptions: number; sessionToken?: string; cause: Cause }
  | { kind: "subscribe"; className: string; params: JsonObject; cause: Cause }
  | { kind: "liveEvent"; className: string; facts: LiveEventFacts; cause: Cause };

/** What a task comes to. */
export interface Outcome {
  /** What a function answers, or a trigger instead of what it was given. */
  value?: JsonValue | undefined;
  /** Before a query: the objects that it shall find. */
  objects?: JsonObject[];
  /** Before a save: wire values and operations to put in, and keys to take out. */
  changes?: { set: JsonObject; dropped: string[] };
  /** The request's context after the trigger. */
  context?: JsonObject;
  /** HTTP status and headers that a function chose. */
  status?: number;
  headers?: Record<string, string>;
}

export interface ScheduleDefinition {
  jobName: string;
  cron: string;
  params: JsonObject;
  /** What becomes of runs that were missed: one is made up for, or none. */
  catchUp: "once" | "skip";
  /** How long a run may take, in ms; undefined for as long as it likes. */
  deadlineMs: number | undefined;
}

/** What the cloud code has registered. */
export interface Definitions {
  functions: string[];
  jobs: string[];
  /** `beforeSave.Note`, `beforeConnect`. */
  triggers: string[];
  schedules: ScheduleDefinition[];
  /** What is to be watched on chains, as it was written. */
  watches: JsonObject[];
  plugins: { name: string; functions: string[] }[];
  /** What validators ask for. */
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

/** An error that is to be told to the client. */
export interface Refusal {
  code: number;
  message: string;
  status?: number | undefined;
}

export interface StartData {
  file: string;
  plugins: string[];
  logLevel: LogLevel;
  /** What `Parse.Server` holds: settings without secrets, and the addresses of the server. */
  settings: ServerSettings;
}

/** Settings that cloud code may see, by the names that Parse Server gives them. */
export interface ServerSettings {
  applicationId: string;
  appId: string;
  appName: string;
  /** The address of the Parse protocol as clients see it. */
  serverURL: string;
  publicServerURL: string;
  mountPath: string;
  [name: string]: JsonValue;
}

/** To the thread. */
export type ToCode =
  | { kind: "task"; id: number; depth: number; task: Task }
  | { kind: "answer"; id: number; value: JsonValue }
  | { kind: "refused"; id: number; refusal: Refusal }
  | { kind: "ping" };

/** What cloud code asks of the server. */
export type Ask =
  | { what: "dispatch"; request: InnerRequest }
  | { what: "sendEmail"; mail: { to: string; subject: string; text: string; html?: string } }
  | { what: "jobMessage"; jobId: string; message: string }
  /** The content of a file by its address, in base64. */
  | { what: "download"; url: string };

/** From the thread. */
export type FromCode =
  | { kind: "ready"; definitions: Definitions }
  /** The files that it consists of, for whoever watches them. */
  | { kind: "files"; files: string[] }
  | { kind: "failed"; error: string }
  | { kind: "defined"; definitions: Definitions }
  | { kind: "done"; id: number; outcome: Outcome }
  | { kind: "refused"; id: number; refusal: Refusal }
  | { kind: "ask"; id: number; depth: number; ask: Ask }
  | { kind: "log"; level: Exclude<LogLevel, "silent">; message: string; fields: LogFields }
  | { kind: "pong" };

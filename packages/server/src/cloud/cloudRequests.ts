import type { Config, ParseFile, ParseObject, Query, User } from "@purse/client";
import type { JsonObject } from "@purse/protocol";
import type { Logger } from "../core/logger.ts";
import type { ConfigTriggerName, TriggerName } from "./workerMessages.ts";

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
  client: { id: string };
  clients: number;
  subscriptions: number;
  sessionToken: string | undefined;
  /** Whether the client connects with the master key. */
  useMasterKey: boolean;
}

export interface SubscribeRequest extends CloudRequest {
  event: "subscribe";
  op: "subscribe";
  /** The client's number of the subscription. */
  requestId: number | string;
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

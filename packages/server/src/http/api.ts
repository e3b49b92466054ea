import type { JsonObject, JsonValue } from "@purse/protocol";
import type { RequestContext } from "../authContext.ts";

export type Method = "GET" | "POST" | "PUT" | "DELETE";

/** A request of the Parse protocol, whichever envelope it came in. */
export interface ApiRequest extends RequestContext {
  method: Method;
  /** Below the mount path, normalised: begins with one slash, no double slashes, no query. */
  path: string;
  /** Body and query string in one, without the envelope's own fields. */
  params: JsonObject;
  /** What the path's named segments hold, decoded. */
  names: Record<string, string>;
  /** The address that the client used, for example `http://127.0.0.1:1337/server`. */
  serverUrl: string;
}

export interface ApiReply {
  status: number;
  /** JSON text. */
  readonly body: string;
  /** The same in pieces, where it is long: they are sent one after the other, and `body` joins them. */
  readonly pieces?: readonly string[];
  headers?: Record<string, string>;
}

/** Answers a value (sent with 200) or a whole reply. */
export type Handler = (request: ApiRequest) => Promise<ApiReply | JsonValue>;

export interface ApiRoute {
  method: Method;
  /** With named segments: `/classes/:className/:objectId`. */
  path: string;
  handle: Handler;
  /** Serves callers whose session has ended as if they had sent none, rather than refusing them with 209. */
  tolerant?: boolean;
  /** Serves callers who name no application. */
  withoutApplication?: boolean;
  /**
   * What becomes of a request with an id whose process ended while it carried it out, when it is sent again. write: it is
   * carried out once, for all that it does is one write of objects, or some each of which is remembered. again: it may be
   * carried out again. Without it: never again.
   */
  retry?: "write" | "again";
}

/** What a caller inside the process sends: credentials are judged as if they came by the door. */
export interface InnerRequest {
  method: Method;
  path: string;
  params: JsonObject;
  sessionToken?: string | undefined;
  useMasterKey?: boolean;
  installationId?: string | undefined;
  context?: JsonObject;
}

/** Runs a request through the same stops as one from outside. Errors become replies. */
export type Dispatch = (request: InnerRequest) => Promise<ApiReply>;

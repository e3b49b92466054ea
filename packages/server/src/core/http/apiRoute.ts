import type { IncomingMessage, ServerResponse } from "node:http";
import type { JsonObject, JsonValue, ProtocolError } from "@purse/protocol";
import type { z } from "zod";
import type { RequestContext } from "../authContext.ts";
import type { FormFile } from "../functionCall.ts";

export type Method = "GET" | "POST" | "PUT" | "DELETE";

/** Whether routes may have this method. */
export function isMethod(method: string): method is Method {
  return method === "GET" || method === "POST" || method === "PUT" || method === "DELETE";
}

/** A request of the Parse protocol, after its envelope has been read. */
export interface ApiRequest extends RequestContext {
  method: Method;
  /** Below the mount path and normalized: begins with one slash, contains no double slashes and no query string. */
  path: string;
  /** Parameters of the body and the query string, without the fields of the envelope. */
  params: JsonObject;
  /** Files by parameter, if a function is called with a form. */
  formFiles?: Readonly<Record<string, FormFile>>;
  /** Decoded values of the path's named segments. */
  pathParams: Record<string, string>;
  /** The URL that the client used, for example `http://127.0.0.1:1337/server`. */
  serverUrl: string;
  /** Whether the caller is in the process and takes values instead of texts, from the routes that have them. */
  wantsValue?: boolean;
}

export interface ApiReply {
  status: number;
  /** JSON text. */
  readonly body: string;
  /** The body in chunks if it is long. They are sent one after the other; reading `body` joins them. */
  readonly chunks?: readonly string[];
  headers?: Record<string, string>;
}

/** A reply of 200 with a body in JSON. */
export function jsonReply(body: string): ApiReply {
  return { status: 200, body };
}

/** Returns a value (sent with status 200) or a complete reply. */
type Handler<Request extends ApiRequest = ApiRequest> = (request: Request) => Promise<ApiReply | JsonValue>;

/** Who may call a route. The permissions of classes, objects and functions apply to `everyone` and `user`. */
export type ParseAccess = "everyone" | "user" | "masterKey";

export interface EndpointSchemas {
  query?: z.ZodObject;
  body?: z.ZodType;
  response: z.ZodType;
}

/** The declaration of a route of the Parse API, from which the OpenAPI document and the reference page are made. */
export interface ParseEndpoint<M extends string = string> {
  method: M;
  /** Path pattern below `/server` with named segments: `/classes/:className/:objectId`. */
  path: string;
  access: ParseAccess;
  /** Heading in the documentation: one of those that `parseOpenApi` orders, or the name of a module. */
  heading?: string;
  /** What it does, as a phrase without a period. */
  summary: string;
  /**
   * The schemas, made when they are needed first: a start needs none. They describe: handlers validate what they are
   * sent, with the errors of the Parse protocol.
   */
  schemas(): EndpointSchemas;
  status?: number;
  /** Content type of the body if it is not JSON. */
  bodyType?: string;
  /** Content type of a body of bytes, besides that of the schema. */
  rawBodyType?: string;
  /** Content types of the response if it is not JSON. */
  streams?: readonly string[];
  /** Descriptions of errors by status. */
  errors?: Readonly<Record<number, string>>;
  /** The error of requests without `access`, if it is another than that of other routes. */
  denied?(request: RequestContext): ProtocolError;
  /** Whether it is another method of a route that is described. */
  isAlias?: boolean;
  /** Whether a request with an ended session is handled as anonymous instead of being rejected with 209. */
  acceptsEndedSession?: boolean;
  /** Whether the request may omit the application id. */
  isApplicationOptional?: boolean;
  /** Whether the request needs a key of a client app, if the server has any, although it may omit the application id. */
  needsClientKey?: boolean;
  /**
   * Whether a request with an id may be executed again after the process that executed it was interrupted. `write`:
   * yes, because everything it does is one write of objects, or several that are each recorded. `again`: yes, because
   * it is idempotent. Undefined: never.
   */
  retry?: "write" | "again";
  /** Answers HEAD in place of the handler, which changes something although its method is GET: HEAD must not. */
  head?(): ApiReply;
}

export interface ApiRoute<Request extends ApiRequest = ApiRequest> extends ParseEndpoint<Method> {
  handle: Handler<Request>;
}

/** A request from inside the process. Its credentials are verified like those of an HTTP request. */
export interface InternalRequest {
  method: Method;
  path: string;
  params: JsonObject;
  sessionToken?: string | undefined;
  useMasterKey?: boolean;
  installationId?: string | undefined;
  context?: JsonObject;
}

/** Executes an internal request through the same steps as an HTTP request. Errors become replies. */
export type Dispatch = (request: InternalRequest) => Promise<ApiReply>;

/**
 * Handles a request whose body or response is a stream; `path` is below its mount path. Returns a reply, or undefined if
 * it has written the response itself.
 */
export type StreamHandler = (
  message: IncomingMessage,
  response: ServerResponse,
  path: string,
  search: string,
) => Promise<ApiReply | undefined>;

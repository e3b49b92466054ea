import type { JsonObject } from "@purse/protocol";
import type { z } from "zod";
import type { RequestContext } from "../core/authContext.ts";
import type { StudioOperator } from "../studioApi/access.ts";
import type { Endpoint, Method, PathParams } from "../studioApi/endpoint.ts";
import { parseInput } from "../studioApi/parseInput.ts";
import type { AuditDetails } from "./audit.ts";
import type { OpenSession } from "./sessions.ts";

/** The operator of a request, with the session. */
export interface SignedIn {
  operator: StudioOperator;
  session: OpenSession;
}

/** A request of the admin API. `params` are those of the body and the query string. */
export interface StudioRequest<Params = unknown, Path = unknown> {
  params: Params;
  /** Decoded values of the path's named segments. */
  pathParams: Path;
  /** The binary body, if the endpoint expects one. */
  bytes: Buffer;
  /** Undefined only for endpoints that require no session. */
  signedIn: SignedIn | undefined;
  /** The context for requests to other services. */
  context: RequestContext & { serverUrl: string };
  userAgent: string;
  /** Whether the browser uses https, as far as the server knows. */
  isSecure: boolean;
  /** Sets the Set-Cookie header of a successful response. */
  setCookie(cookie: string): void;
  /** Sets details of the audit log entry; later calls override earlier ones. */
  setAuditDetails(setAuditDetails: AuditDetails): void;
  /** Aborted when the client disconnects. */
  closeSignal: AbortSignal;
  /** Whether the session is still valid, for long-running responses. */
  isSessionValid(): Promise<boolean>;
}

/** The requests of the endpoints of a table, by name. */
export type Requests<Endpoints extends Record<string, Endpoint>> = {
  [Name in keyof Endpoints]: StudioRequest<
    z.output<Endpoints[Name]["input"]>,
    PathParams<Endpoints[Name]["path"]>
  >;
};

/** A streamed response. */
export interface StreamReply {
  stream: AsyncIterable<string | Uint8Array>;
  contentType: string;
  /** File name for a download. */
  fileName?: string;
}

/** A request whose parameters have not been validated yet. */
export type UncheckedRequest = StudioRequest<JsonObject, unknown>;

export interface StudioRoute {
  endpoint: Endpoint;
  /** Throws 102 if the parameters are invalid. Returns a value, to be sent as JSON, or a stream. */
  handle(request: UncheckedRequest): Promise<unknown>;
}

/** A route for an endpoint. Its handler gets validated parameters. */
export function route<Path extends string, Input extends z.ZodObject, Response extends z.ZodType>(
  endpoint: Endpoint<Method, Path, Input, Response>,
  handle: (
    request: StudioRequest<z.output<Input>, PathParams<Path>>,
  ) => Promise<z.output<Response> | StreamReply>,
): StudioRoute {
  return {
    endpoint,
    handle: async (request) =>
      handle({
        ...request,
        params: parseInput(endpoint.input, request.params),
        pathParams: endpoint.pathParams.parse(request.pathParams),
      }),
  };
}

/** Returns the operator and the session of a route that requires them. */
export function requireSignedIn({ signedIn }: StudioRequest): SignedIn {
  if (!signedIn) throw new Error("A route without authentication requested the operator");
  return signedIn;
}

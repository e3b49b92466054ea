import type { JsonObject, JsonValue, StudioOperator, StudioRouteInfo } from "@purse/protocol";
import type { RequestContext } from "../core/authContext.ts";
import type { ApiReply, Method } from "../core/http/apiRoute.ts";
import type { AuditDetails } from "./audit.ts";
import type { OpenSession } from "./sessions.ts";

/** A request of the admin API. */
export interface StudioRequest {
  /** Parameters of the body and the query string; only the latter if the body is binary. */
  params: JsonObject;
  /** The binary body, if the route expects one. */
  bytes: Buffer;
  pathParams: Record<string, string>;
  /** Undefined only for routes that require no session. */
  signedIn: { operator: StudioOperator; session: OpenSession } | undefined;
  /** The context for requests to other services. */
  context: RequestContext & { serverUrl: string };
  userAgent: string;
  /** Whether the browser uses https, as far as the server knows. */
  isSecure: boolean;
  /** Sets details of the audit log entry; later calls override earlier ones. */
  setAuditDetails(setAuditDetails: AuditDetails): void;
  /** Aborted when the client disconnects. */
  closeSignal: AbortSignal;
  /** Whether the session is still valid, for long-running responses. */
  isSessionValid(): Promise<boolean>;
}

/** A streamed response. */
export interface StreamReply {
  stream: AsyncIterable<string | Uint8Array>;
  contentType: string;
  /** File name for a download. */
  fileName?: string;
}

export interface StudioRoute extends StudioRouteInfo {
  method: Method;
  /** Whether the body is binary instead of JSON: a chunk of an upload, which is audited as a whole. */
  bodyType?: "bytes";
  /** Returns a value (sent with status 200), a complete response, or a stream. */
  handle(request: StudioRequest): Promise<ApiReply | StreamReply | JsonValue>;
}

/** Serializes a typed value; types with optional fields are not assignable to JsonObject. */
export function json(value: unknown, status = 200, headers?: Record<string, string>): ApiReply {
  return { status, body: JSON.stringify(value ?? {}), ...(headers && { headers }) };
}

/** Returns the operator and the session of a route that requires them. */
export function requireSignedIn({ signedIn }: StudioRequest): NonNullable<StudioRequest["signedIn"]> {
  if (!signedIn) throw new Error("A route without authentication requested the operator");
  return signedIn;
}

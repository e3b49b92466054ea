import type { JsonObject, JsonValue, StudioOperator, StudioRouteRow } from "@purse/protocol";
import type { RequestContext } from "../authContext.ts";
import type { ApiReply, Method } from "../http/api.ts";
import type { AuditNote } from "./audit.ts";
import type { OpenSession } from "./sessions.ts";

/** A request of an operator who is signed in, or of somebody who is about to be. */
export interface StudioRequest {
  /** Body and query string in one; of a body of bytes the query string alone. */
  params: JsonObject;
  /** The body, where the route takes bytes. */
  bytes: Buffer;
  names: Record<string, string>;
  /** Undefined only on routes that need nobody. */
  signedIn: { operator: StudioOperator; session: OpenSession } | undefined;
  /** With which the request goes on into the pipeline. */
  context: RequestContext & { serverUrl: string };
  userAgent: string;
  /** Whether the browser came by https, as far as the server can know. */
  isSecure: boolean;
  /** Told to whoever reads the audit trail; what is told later goes over what was told before. */
  note(note: AuditNote): void;
  /** Ends when the client has gone. */
  gone: AbortSignal;
  /** Whether the session still is one: for answers that take their time. */
  isStillGood(): Promise<boolean>;
}

/** An answer that is told piece by piece. */
export interface StreamReply {
  stream: AsyncIterable<string | Uint8Array>;
  contentType: string;
  /** Offered to be kept under this name. */
  fileName?: string;
}

export interface StudioRoute extends StudioRouteRow {
  method: Method;
  /** A body of bytes rather than JSON: a piece of something, of which the audit trail is told as a whole. */
  takes?: "bytes";
  /** Answers a value (sent with 200), a whole reply, or a stream. */
  handle(request: StudioRequest): Promise<ApiReply | StreamReply | JsonValue>;
}

/** A value of ours as JSON: types with optional fields are no JsonObject to the compiler. */
export function json(value: unknown, status = 200, headers?: Record<string, string>): ApiReply {
  return { status, body: JSON.stringify(value ?? {}), ...(headers && { headers }) };
}

/** The operator and the session of a route that needs one. */
export function signedInAs({ signedIn }: StudioRequest): NonNullable<StudioRequest["signedIn"]> {
  if (!signedIn) throw new Error("A route that needs nobody asked who it is");
  return signedIn;
}

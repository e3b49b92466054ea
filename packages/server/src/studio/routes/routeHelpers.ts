import { type JsonObject, type JsonValue, ProtocolError, type StudioPage } from "@purse/protocol";
import type { AuthenticatedRequest } from "../../api/parseApi.ts";
import type { AuthContext, RequestContext } from "../../core/authContext.ts";
import type { ApiReply, Method } from "../../core/http/apiRoute.ts";
import type { Objects } from "../../data/objects/objects.ts";
import type { ClassRules } from "../../data/objects/rules.ts";
import type { Schemas } from "../../data/schema/schemas.ts";
import type { Store } from "../../database/store.ts";
import { createKeyset } from "../keyset.ts";
import { integerParameter, optionalStringParameter } from "../parameters.ts";
import type { StudioRequest } from "../route.ts";

/** Services that the routes use, shared with the other APIs. */
export interface RouteDependencies {
  store: Store;
  objects: Objects;
  schemas: Schemas;
  rules: ReadonlyMap<string, ClassRules>;
  /** Executes a request of the Parse API for an authenticated client. */
  execute(request: AuthenticatedRequest): Promise<ApiReply>;
  /** Returns the auth context of a user with roles. Throws 101 if the user does not exist. */
  asUser(userId: string): Promise<AuthContext>;
}

/** Calls a route of the Parse API as the operator and returns its result. Throws its errors. */
export async function callParseRoute(
  dependencies: Pick<RouteDependencies, "execute">,
  { context }: StudioRequest,
  method: Method,
  path: string,
  params: JsonObject = {},
): Promise<{ value: JsonValue; headers: Record<string, string> }> {
  const { auth, ip, requestId, serverUrl } = context;
  const {
    status,
    body,
    headers = {},
  } = await dependencies.execute({ method, path, params, auth, ip, requestId, serverUrl });
  const value: JsonValue = JSON.parse(body);
  if (status < 400) return { value, headers };
  throw toProtocolError(value, status);
}

function toProtocolError(value: JsonValue, status: number): ProtocolError {
  const { code, error } = typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
  return new ProtocolError(
    typeof code === "number" ? code : 1,
    String(error ?? "Internal server error."),
    status,
  );
}

/** Encodes a path segment. */
export function encodeSegment(text: string): string {
  return encodeURIComponent(text);
}

/** Returns the context of the request, or that of a user if the operator views data as a user. */
export async function viewContext(
  dependencies: Pick<RouteDependencies, "asUser">,
  { context, params }: StudioRequest,
): Promise<RequestContext> {
  const { as } = params;
  if (as === undefined || as === "") return context;
  const auth: AuthContext =
    as === "anonymous" ? { kind: "anonymous" } : await dependencies.asUser(String(as));
  return { ...context, auth };
}

/** Returns a page of rows of a built-in class, newest first. */
export async function listNewest(
  dependencies: Pick<RouteDependencies, "objects">,
  { context, params }: StudioRequest,
  className: string,
  where: JsonObject,
): Promise<StudioPage<JsonObject>> {
  const keyset = createKeyset("-createdAt,-objectId", optionalStringParameter(params, "after"), (field) =>
    field === "createdAt" ? "Date" : "String",
  );
  const limit = Math.max(1, integerParameter(params, "limit", 50, 500));
  const text = await dependencies.objects.find(context, className, {
    where: keyset.where ? { $and: [where, keyset.where] } : where,
    order: keyset.order,
    limit: limit + 1,
  });
  const { results: rows }: { results: JsonObject[] } = JSON.parse(text);
  const results = rows.slice(0, limit);
  const last = rows.length > limit ? results.at(-1) : undefined;
  return { results, ...(last && { next: keyset.cursorAfter(last, results.length) }) };
}

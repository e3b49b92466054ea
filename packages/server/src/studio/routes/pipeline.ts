import { type JsonObject, type JsonValue, ProtocolError, type StudioPage } from "@purse/protocol";
import type { AuthContext, RequestContext } from "../../authContext.ts";
import type { ApiReply, Method } from "../../http/api.ts";
import type { AuthenticatedRequest } from "../../http/parseApi.ts";
import type { Objects } from "../../objects/objects.ts";
import type { ClassRules } from "../../objects/rules.ts";
import type { Schemas } from "../../schema/schemas.ts";
import type { Store } from "../../store/store.ts";
import { keyset } from "../keyset.ts";
import { optionalTextIn, wholeIn } from "../parameters.ts";
import type { StudioRequest } from "../route.ts";

/** What routes work with: the same parts as every other door. */
export interface PipelineParts {
  store: Store;
  objects: Objects;
  schemas: Schemas;
  rules: ReadonlyMap<string, ClassRules>;
  /** Runs a route of the Parse protocol for a caller who is judged already. */
  runAs(request: AuthenticatedRequest): Promise<ApiReply>;
  /** A user as the pipeline knows them, with their roles. Throws 101 where there is none. */
  asUser(userId: string): Promise<AuthContext>;
}

/** Asks a route of the Parse protocol as the operator, and answers what it answers. Throws its errors. */
export async function ask(
  parts: Pick<PipelineParts, "runAs">,
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
  } = await parts.runAs({ method, path, params, auth, ip, requestId, serverUrl });
  const value: JsonValue = JSON.parse(body);
  if (status < 400) return { value, headers };
  throw errorOf(value, status);
}

function errorOf(value: JsonValue, status: number): ProtocolError {
  const { code, error } = typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
  return new ProtocolError(
    typeof code === "number" ? code : 1,
    String(error ?? "Internal server error."),
    status,
  );
}

/** A segment of a path, so that nothing in it leads elsewhere. */
export function segment(text: string): string {
  return encodeURIComponent(text);
}

/** The request as it goes on into the pipeline, made as an app's user where the operator asks to look as one. */
export async function lookingAs(
  parts: Pick<PipelineParts, "asUser">,
  { context, params }: StudioRequest,
): Promise<RequestContext> {
  const { as } = params;
  if (as === undefined || as === "") return context;
  const auth: AuthContext = as === "anonymous" ? { kind: "anonymous" } : await parts.asUser(String(as));
  return { ...context, auth };
}

/** Rows of a class of the server, the newest first, a page at a time. */
export async function newest(
  parts: Pick<PipelineParts, "objects">,
  { context, params }: StudioRequest,
  className: string,
  where: JsonObject,
): Promise<StudioPage<JsonObject>> {
  const set = keyset("-createdAt,-objectId", optionalTextIn(params, "after"), (field) =>
    field === "createdAt" ? "Date" : "String",
  );
  const limit = Math.max(1, wholeIn(params, "limit", 50, 500));
  const text = await parts.objects.find(context, className, {
    where: set.where ? { $and: [where, set.where] } : where,
    order: set.order,
    limit: limit + 1,
  });
  const { results: rows }: { results: JsonObject[] } = JSON.parse(text);
  const results = rows.slice(0, limit);
  const last = rows.length > limit ? results.at(-1) : undefined;
  return { results, ...(last && { next: set.cursorAfter(last, results.length) }) };
}

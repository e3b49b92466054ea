import type { JsonObject } from "@purse/protocol";
import type { AuthContext, RequestContext } from "../../core/authContext.ts";
import type { Objects } from "../../data/objects/objects.ts";
import type { ClassRules } from "../../data/objects/rules.ts";
import type { Schemas } from "../../data/schema/schemas.ts";
import type { Store } from "../../database/store.ts";
import type { StudioPage } from "../../studioApi/data.ts";
import { createKeyset } from "../keyset.ts";
import type { StudioRequest } from "../route.ts";

/** Services that the routes use, shared with the other APIs. */
export interface RouteDependencies {
  store: Store;
  objects: Objects;
  schemas: Schemas;
  rules: ReadonlyMap<string, ClassRules>;
  /** Returns the auth context of a user with roles. Throws 101 if the user does not exist. */
  asUser(userId: string): Promise<AuthContext>;
}

/** Returns the context of the request, or that of a user if the operator views data as a user. */
export async function viewContext(
  dependencies: Pick<RouteDependencies, "asUser">,
  { context, params: { as } }: StudioRequest<{ as?: string | undefined }>,
): Promise<RequestContext> {
  if (as === undefined) return context;
  const auth: AuthContext = as === "anonymous" ? { kind: "anonymous" } : await dependencies.asUser(as);
  return { ...context, auth };
}

/** Returns a page of rows of a built-in class, newest first. */
export async function listNewest(
  dependencies: Pick<RouteDependencies, "objects">,
  { context, params: { limit, after } }: StudioRequest<{ limit: number; after?: string | undefined }>,
  className: string,
  where: JsonObject,
): Promise<StudioPage<JsonObject>> {
  const keyset = createKeyset("-createdAt,-objectId", after, (field) =>
    field === "createdAt" ? "Date" : "String",
  );
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

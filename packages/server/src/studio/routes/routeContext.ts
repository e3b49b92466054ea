import type { AuthContext, RequestContext } from "../../core/authContext.ts";
import type { ClassRules } from "../../data/objects/classRules.ts";
import type { Objects } from "../../data/objects/objects.ts";
import type { Schemas } from "../../data/schema/schemas.ts";
import type { Store } from "../../database/store.ts";
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

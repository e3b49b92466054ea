import type { AllowsRoute } from "../config/routeAllowList.ts";
import { type AuthContext, bypassesPermissions } from "../core/authContext.ts";
import { operationForbidden } from "../core/operationForbidden.ts";

/** Throws 119 if clients may not call the route of a normalized path. The master key may call all. */
export function assertRouteAllowed(
  allowsRoute: AllowsRoute | undefined,
  auth: AuthContext,
  path: string,
): void {
  if (!allowsRoute || bypassesPermissions(auth)) return;
  const route = path
    .replace(/^\/|\/$/g, "")
    .split("/")
    .map(decodeURIComponent)
    .join("/");
  if (!allowsRoute(route)) throw operationForbidden(`Route not allowed: ${route.slice(0, 200)}`, 403);
}

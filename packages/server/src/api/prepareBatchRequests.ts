import type { JsonObject } from "@purse/protocol";
import type { AllowsRoute } from "../config/routeAllowList.ts";
import { errorReply } from "../core/http/reply.ts";
import type { Router } from "../core/http/router.ts";
import type { PreparedCreate } from "../data/objects/objects.ts";
import type { WriteRequest } from "../data/objects/writeOptions.ts";
import { assertRouteAllowed } from "./assertRouteAllowed.ts";
import type { PrepareBatchedRequest } from "./batchRoute.ts";
import type { RequestLimits } from "./parseApiLimits.ts";
import type { ParseRoute } from "./parseRoute.ts";

interface BatchPreparationDependencies {
  router: Router<ParseRoute>;
  requestLimits: RequestLimits;
  allowsRoute: AllowsRoute | undefined;
  /** Called with errors whose details clients do not see. */
  report(error: unknown, requestId: string): void;
}

type PrepareFields = (fields: JsonObject) => PreparedCreate | undefined;

/** Creates the function that prepares the creates of a batch, most of which have the same path. */
export function prepareBatchRequests(
  request: WriteRequest,
  { router, requestLimits, allowsRoute, report }: BatchPreparationDependencies,
): PrepareBatchedRequest {
  const { auth, ip, isInternal = false } = request;
  const isReadOnly = auth.kind === "master" && auth.readOnly === true;
  const knownPaths = new Map<string, PrepareFields | undefined>();
  const preparerOf = (path: string): PrepareFields | undefined => {
    // Such paths are rewritten first.
    if (path.includes("//") || path.includes("?")) return undefined;
    const match = router.match("POST", path);
    if (match.kind !== "found") return undefined;
    const { route, pathParams } = match;
    if (!route.prepareCreate) return undefined;
    if (!isInternal) assertRouteAllowed(allowsRoute, auth, path);
    if (requestLimits.isLimited({ method: "POST", path, auth, ip, isInternal })) return undefined;
    return (fields) => route.prepareCreate?.(request, pathParams, fields);
  };
  return ({ method, path, params }) => {
    if (method !== "POST" || isReadOnly) return undefined;
    try {
      if (!knownPaths.has(path)) knownPaths.set(path, preparerOf(path));
      return knownPaths.get(path)?.(params);
    } catch (error) {
      return errorReply(error, (unexpected) => report(unexpected, request.requestId));
    }
  };
}

import type { Aggregates } from "../objects/aggregate.ts";
import type { ApiRoute } from "./api.ts";
import { assertMaster } from "./masterKeyAccess.ts";

/** Aggregates objects of a class; requires the master key. */
export function aggregateRoute(aggregates: Aggregates): ApiRoute {
  return {
    method: "GET",
    path: "/aggregate/:className",
    async handle(request) {
      assertMaster(request);
      const results = await aggregates.aggregate(request, request.pathParams.className ?? "", request.params);
      return { results };
    },
  };
}

import type { Aggregates } from "../objects/aggregate.ts";
import type { ApiRoute } from "./api.ts";
import { assertMaster } from "./rights.ts";

/** Figures of a class, for whoever has the master key. */
export function aggregateRoute(aggregates: Aggregates): ApiRoute {
  return {
    method: "GET",
    path: "/aggregate/:className",
    async handle(request) {
      assertMaster(request);
      const results = await aggregates.aggregate(request, request.names.className ?? "", request.params);
      return { results };
    },
  };
}

import type { ApiRoute } from "../core/http/apiRoute.ts";
import { chunkedReply } from "../core/http/chunkedReply.ts";
import { assertMaster } from "../core/http/masterKeyAccess.ts";
import type { Aggregates } from "../data/objects/aggregate.ts";
import { jsonListChunks } from "../data/objects/jsonList.ts";

/** Aggregates objects of a class; requires the master key. */
export function aggregateRoute(aggregates: Aggregates): ApiRoute {
  return {
    method: "GET",
    path: "/aggregate/:className",
    async handle(request) {
      assertMaster(request);
      const results = await aggregates.aggregate(request, request.pathParams.className ?? "", request.params);
      return chunkedReply(jsonListChunks('{"results":[', results, "]}"));
    },
  };
}

import { z } from "zod";
import type { ApiRoute } from "../core/http/apiRoute.ts";
import { chunkedReply } from "../core/http/chunkedReply.ts";
import { jsonObject, jsonValue, routeOf } from "../core/http/endpoint.ts";
import type { Aggregates } from "../data/objects/aggregate.ts";
import { jsonListChunks } from "../data/objects/jsonList.ts";

const ENDPOINT = {
  method: "GET",
  path: "/aggregate/:className",
  access: "masterKey",
  heading: "Objects",
  summary: "Aggregate objects by a `pipeline`, or list the values of a field",
  schemas: () => ({
    query: z.object({
      pipeline: z.array(jsonObject()).optional().describe("Stages of the aggregation"),
      distinct: z.string().optional().describe("Name of a field"),
      where: jsonObject().optional().describe("Conditions for `distinct`"),
    }),
    response: z.object({ results: z.array(jsonValue()) }),
  }),
} as const;

/** Aggregates objects of a class. */
export function aggregateRoute(aggregates: Aggregates): ApiRoute {
  return routeOf(ENDPOINT, async (request) => {
    const results = await aggregates.aggregate(request, request.pathParams.className ?? "", request.params);
    return chunkedReply(jsonListChunks('{"results":[', results, "]}"));
  });
}

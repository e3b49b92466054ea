import { z } from "zod";
import type { ApiRoute } from "../../core/http/apiRoute.ts";
import { defineEndpoints, jsonObject, routesOf } from "../../core/http/endpoint.ts";
import { objectFields } from "../../core/http/objectEndpoints.ts";
import type { GlobalConfigService } from "./globalConfigService.ts";

const ENDPOINTS = defineEndpoints("Functions, jobs, webhooks, config", {
  read: {
    method: "GET",
    path: "/config",
    access: "everyone",
    summary: "Read the config of the application",
    schemas: () => ({
      response: z.object({
        params: jsonObject(),
        masterKeyOnly: jsonObject().optional().describe("With the master key: names of hidden parameters"),
      }),
    }),
    acceptsEndedSession: true,
  },
  change: {
    method: "PUT",
    path: "/config",
    access: "masterKey",
    summary: "Change the config",
    schemas: () => ({
      body: z.object({ params: objectFields(), masterKeyOnly: jsonObject().optional() }),
      response: z.object({ result: z.literal(true) }),
    }),
    retry: "again",
  },
});

/** Routes of Parse Config. */
export function globalConfigRoutes(service: GlobalConfigService): ApiRoute[] {
  return routesOf(ENDPOINTS, {
    read: async (request) => ({ ...(await service.read(request)) }),
    async change(request) {
      await service.change(request, request.params);
      return { result: true };
    },
  });
}

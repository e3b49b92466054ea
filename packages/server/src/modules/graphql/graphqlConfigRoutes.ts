import { z } from "zod";
import type { ApiRoute } from "../../core/http/apiRoute.ts";
import { defineEndpoints, routesOf } from "../../core/http/endpoint.ts";
import { graphqlConfigSchema } from "./graphqlConfig.ts";
import type { GraphqlConfigService } from "./graphqlConfigService.ts";

const ENDPOINTS = defineEndpoints("Server", {
  read: {
    method: "GET",
    path: "/graphql-config",
    access: "masterKey",
    summary: "Read the configuration of the GraphQL schema",
    schemas: () => ({ response: graphqlConfigSchema }),
  },
  replace: {
    method: "PUT",
    path: "/graphql-config",
    access: "masterKey",
    summary: "Change the configuration of the GraphQL schema",
    schemas: () => ({
      body: z.object({ params: graphqlConfigSchema }),
      response: z.object({ result: z.literal(true) }),
    }),
    retry: "again",
  },
});

/** Routes of the GraphQL configuration, which the service validates by its schema. */
export function graphqlConfigRoutes(service: GraphqlConfigService): ApiRoute[] {
  return routesOf(ENDPOINTS, {
    read: async () => JSON.parse(JSON.stringify(await service.read())),
    async replace({ params }) {
      await service.replace(params.params);
      return { result: true };
    },
  });
}

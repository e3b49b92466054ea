import type { JsonObject } from "@purse/protocol";
import type { ApiRequest, ApiRoute } from "../../core/http/apiRoute.ts";
import { assertMaster } from "../../core/http/masterKeyAccess.ts";
import type { GraphqlConfigService } from "./graphqlConfigService.ts";

/** Routes of the GraphQL configuration, which require the master key. */
export function graphqlConfigRoutes(service: GraphqlConfigService): ApiRoute[] {
  return [
    { method: "GET", path: "/graphql-config", handle: read },
    { method: "PUT", path: "/graphql-config", handle: replace, retry: "again" },
  ];

  async function read(request: ApiRequest): Promise<JsonObject> {
    assertMaster(request);
    return JSON.parse(JSON.stringify(await service.read()));
  }

  async function replace(request: ApiRequest): Promise<JsonObject> {
    assertMaster(request, "write");
    await service.replace(request.params.params);
    return { result: true };
  }
}

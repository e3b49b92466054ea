import type { JsonObject } from "@purse/protocol";
import type { ApiRequest, ApiRoute } from "../../core/http/apiRoute.ts";
import { assertMaster } from "../../core/http/masterKeyAccess.ts";
import type { GlobalConfigService } from "./globalConfigService.ts";

/** Routes of Parse Config. */
export function globalConfigRoutes(service: GlobalConfigService): ApiRoute[] {
  return [
    {
      method: "GET",
      path: "/config",
      acceptsEndedSession: true,
      handle: async (request) => ({ ...(await service.read(request)) }),
    },
    { method: "PUT", path: "/config", handle: change, retry: "again" },
  ];

  async function change(request: ApiRequest): Promise<JsonObject> {
    assertMaster(request, "write");
    await service.change(request, request.params);
    return { result: true };
  }
}

import type { JsonObject } from "@purse/protocol";
import type { ApiRequest, ApiRoute } from "../../core/http/apiRoute.ts";
import { assertMaster } from "../../core/http/masterKeyAccess.ts";
import type { WebhookService } from "./webhookService.ts";

/** Routes that manage webhooks with the master key. */
export function webhookRoutes(service: WebhookService): ApiRoute[] {
  return [
    { method: "GET", path: "/hooks/functions", handle: listFunctions },
    { method: "GET", path: "/hooks/triggers", handle: listTriggers },
    { method: "GET", path: "/hooks/functions/:functionName", handle: get },
    { method: "GET", path: "/hooks/triggers/:className/:triggerName", handle: get },
    { method: "POST", path: "/hooks/functions", handle: create },
    { method: "POST", path: "/hooks/triggers", handle: create },
    { method: "PUT", path: "/hooks/functions/:functionName", handle: update },
    { method: "PUT", path: "/hooks/triggers/:className/:triggerName", handle: update },
    { method: "DELETE", path: "/hooks/functions/:functionName", handle: remove },
    { method: "DELETE", path: "/hooks/triggers/:className/:triggerName", handle: remove },
  ];

  async function listFunctions(request: ApiRequest): Promise<JsonObject[]> {
    assertMaster(request);
    return service.functions();
  }

  async function listTriggers(request: ApiRequest): Promise<JsonObject[]> {
    assertMaster(request);
    return service.triggers();
  }

  async function get(request: ApiRequest): Promise<JsonObject> {
    assertMaster(request);
    return service.get(request.pathParams);
  }

  async function create(request: ApiRequest): Promise<JsonObject> {
    assertMaster(request, "write");
    return service.create(request.params);
  }

  async function update(request: ApiRequest): Promise<JsonObject> {
    if (request.params.__op === "Delete") return remove(request);
    assertMaster(request, "write");
    return service.update(request.pathParams, request.params);
  }

  async function remove(request: ApiRequest): Promise<JsonObject> {
    assertMaster(request, "write");
    await service.remove(request.pathParams);
    return {};
  }
}

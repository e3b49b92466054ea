import { ErrorCode, type JsonObject, ProtocolError } from "@purse/protocol";
import type { ApiRequest, ApiRoute } from "../core/http/apiRoute.ts";
import { assertMaster } from "../core/http/masterKeyAccess.ts";
import type { SchemaService } from "../data/schema/schemaService.ts";

/** Routes for class schemas; they require the master key. */
export function schemaRoutes(service: SchemaService): ApiRoute[] {
  return [
    { method: "GET", path: "/schemas", handle: list },
    { method: "GET", path: "/schemas/:className", handle: get },
    { method: "POST", path: "/schemas", handle: create },
    { method: "POST", path: "/schemas/:className", handle: create },
    { method: "PUT", path: "/schemas/:className", handle: update },
    { method: "DELETE", path: "/schemas/:className", handle: remove },
    { method: "DELETE", path: "/purge/:className", handle: purge },
  ];

  async function list(request: ApiRequest): Promise<JsonObject> {
    assertMaster(request);
    return { results: await service.list() };
  }

  async function get(request: ApiRequest): Promise<JsonObject> {
    assertMaster(request);
    return service.get(request.pathParams.className ?? "");
  }

  async function create(request: ApiRequest): Promise<JsonObject> {
    assertMaster(request, "write");
    service.assertChangeable();
    const className = requestedClassName(request);
    if (className === undefined) throw new ProtocolError(135, `POST ${request.path} needs a class name.`);
    return service.create(className, request.params);
  }

  async function update(request: ApiRequest): Promise<JsonObject> {
    assertMaster(request, "write");
    service.assertChangeable();
    return service.update(requestedClassName(request) ?? "", request.params);
  }

  async function remove(request: ApiRequest): Promise<JsonObject> {
    assertMaster(request, "write");
    await service.remove(request.pathParams.className ?? "");
    return {};
  }

  async function purge(request: ApiRequest): Promise<JsonObject> {
    assertMaster(request, "write");
    await service.purge(request.pathParams.className ?? "", request);
    return {};
  }
}

/** The class named by the path or the body; throws 103 if they differ. */
function requestedClassName({ pathParams, params }: ApiRequest): string | undefined {
  const bodyClassName = typeof params.className === "string" ? params.className : undefined;
  if (
    pathParams.className !== undefined &&
    bodyClassName !== undefined &&
    bodyClassName !== pathParams.className
  ) {
    throw new ProtocolError(
      ErrorCode.INVALID_CLASS_NAME,
      `Class name mismatch between ${bodyClassName} and ${pathParams.className}.`,
    );
  }
  return pathParams.className ?? bodyClassName;
}

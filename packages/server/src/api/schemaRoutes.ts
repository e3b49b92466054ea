import { ErrorCode, type JsonObject, ProtocolError } from "@purse/protocol";
import { z } from "zod";
import { ACCESS_PRESET_NAMES } from "../config/accessPresets.ts";
import type { ApiRequest, ApiRoute } from "../core/http/apiRoute.ts";
import { defineEndpoints, jsonObject, nothing, routesOf } from "../core/http/endpoint.ts";
import type { SchemaService } from "../data/schema/schemaService.ts";

const schema = () =>
  z
    .object({
      className: z.string(),
      fields: z.record(z.string(), jsonObject()),
      classLevelPermissions: jsonObject().optional(),
      indexes: z.record(z.string(), jsonObject()).optional(),
    })
    .describe("A class")
    .meta({ id: "Class" });
const one = () => ({ response: schema() });
const edit = () => ({
  ...one(),
  body: schema()
    .extend({
      access: z
        .enum(ACCESS_PRESET_NAMES)
        .describe("Common permissions by a word, instead of `classLevelPermissions`"),
    })
    .partial()
    .describe('Fields, permissions and indexes to add or change; `{"__op":"Delete"}` deletes'),
});

/** Classes. */
const SCHEMA_ENDPOINTS = defineEndpoints("Schemas", {
  list: {
    method: "GET",
    path: "/schemas",
    access: "masterKey",
    summary: "Classes with fields, indexes and class-level permissions",
    schemas: () => ({ response: z.object({ results: z.array(schema()) }) }),
  },
  get: {
    method: "GET",
    path: "/schemas/:className",
    access: "masterKey",
    summary: "Read a class",
    schemas: one,
  },
  create: {
    method: "POST",
    path: "/schemas",
    access: "masterKey",
    summary: "Create the class `className`",
    schemas: edit,
  },
  createNamed: {
    method: "POST",
    path: "/schemas/:className",
    access: "masterKey",
    summary: "Create a class",
    schemas: edit,
  },
  update: {
    method: "PUT",
    path: "/schemas/:className",
    access: "masterKey",
    summary: "Change a class",
    schemas: edit,
  },
  remove: {
    method: "DELETE",
    path: "/schemas/:className",
    access: "masterKey",
    summary: "Delete an empty class",
    schemas: nothing,
  },
  purge: {
    method: "DELETE",
    path: "/purge/:className",
    access: "masterKey",
    summary: "Delete all objects of a class",
    schemas: nothing,
  },
});

/** Routes for class schemas. */
export function schemaRoutes(service: SchemaService): ApiRoute[] {
  return routesOf(SCHEMA_ENDPOINTS, { list, get, create, createNamed: create, update, remove, purge });

  async function list(): Promise<JsonObject> {
    return { results: await service.list() };
  }

  async function get(request: ApiRequest): Promise<JsonObject> {
    return service.get(request.pathParams.className ?? "");
  }

  async function create(request: ApiRequest): Promise<JsonObject> {
    service.assertChangeable();
    const className = requestedClassName(request);
    if (className === undefined) throw new ProtocolError(135, `POST ${request.path} needs a class name.`);
    return service.create(className, request.params);
  }

  async function update(request: ApiRequest): Promise<JsonObject> {
    service.assertChangeable();
    return service.update(requestedClassName(request) ?? "", request.params);
  }

  async function remove(request: ApiRequest): Promise<JsonObject> {
    await service.remove(request.pathParams.className ?? "");
    return {};
  }

  async function purge(request: ApiRequest): Promise<JsonObject> {
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

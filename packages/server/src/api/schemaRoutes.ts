import { ErrorCode, isClassName, isInternalClassName, type JsonObject, ProtocolError } from "@purse/protocol";
import type { ApiRequest, ApiRoute } from "../core/http/apiRoute.ts";
import { assertMaster } from "../core/http/masterKeyAccess.ts";
import type { Objects } from "../data/objects/objects.ts";
import { describeClass } from "../data/schema/describe.ts";
import { type ClassEdit, editClass, invalidClassName } from "../data/schema/editClass.ts";
import type { Schemas } from "../data/schema/schemas.ts";
import type { ClassSchema } from "../database/classSchema.ts";
import type { Store } from "../database/store.ts";

export interface SchemaRouteDependencies {
  schemas: Schemas;
  store: Store;
  objects: Objects;
  /** Whether classes can be changed only by configuration. */
  isLocked: boolean;
  /** Fields that a system class must keep. */
  fixedFields(className: string): readonly string[];
}

/** How many objects of a system class are removed per page. */
const PURGE_PAGE_SIZE = 500;

/** Routes for class schemas; they require the master key. */
export function schemaRoutes({
  schemas,
  store,
  objects,
  isLocked,
  fixedFields,
}: SchemaRouteDependencies): ApiRoute[] {
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
    // Returns the stored schemas, not those that this process has cached.
    await schemas.refresh();
    const visible = schemas.all().filter(({ className }) => !isInternalClassName(className));
    return { results: visible.map(describeClass) };
  }

  async function get(request: ApiRequest): Promise<JsonObject> {
    assertMaster(request);
    const { className = "" } = request.pathParams;
    await schemas.refresh(className);
    return describeClass(required(className));
  }

  async function create(request: ApiRequest): Promise<JsonObject> {
    assertChangeable(request);
    const className = requestedClassName(request);
    if (className === undefined) {
      throw new ProtocolError(135, `POST ${request.path} needs a class name.`);
    }
    if (!isClassName(className)) {
      throw new ProtocolError(ErrorCode.INVALID_CLASS_NAME, invalidClassName(className));
    }
    const created = await schemas.create(className, (empty) => applyEdit(empty, request.params));
    return describeClass(created);
  }

  async function update(request: ApiRequest): Promise<JsonObject> {
    assertChangeable(request);
    const className = requestedClassName(request) ?? "";
    required(className);
    return describeClass(await schemas.change(className, (schema) => applyEdit(schema, request.params)));
  }

  async function remove(request: ApiRequest): Promise<JsonObject> {
    assertChangeable(request);
    const className = request.pathParams.className ?? "";
    if (!isClassName(className)) {
      throw new ProtocolError(ErrorCode.INVALID_CLASS_NAME, invalidClassName(className));
    }
    const schema = schemas.get(className);
    if (!schema) return {};
    const count = await store.count(allObjectsQuery(schema));
    if (count > 0) {
      throw new ProtocolError(
        ErrorCode.INVALID_SCHEMA_OPERATION,
        `Class ${className} is not empty, contains ${count} objects, cannot drop schema.`,
      );
    }
    await schemas.drop(className);
    return {};
  }

  async function purge(request: ApiRequest): Promise<JsonObject> {
    assertMaster(request, "write");
    const className = request.pathParams.className ?? "";
    const schema = schemas.get(className);
    if (!schema) return {};
    if (!className.startsWith("_")) {
      await store.purge(schema);
      return {};
    }
    // Deletes system objects one by one, so that their names, sessions and addresses are deleted, too.
    for (;;) {
      const texts = await store.find({ ...allObjectsQuery(schema), limit: PURGE_PAGE_SIZE });
      if (texts.length === 0) return {};
      const ids = texts.map((text): string => JSON.parse(text).objectId);
      await Promise.all(ids.map((id) => objects.remove(request, className, id)));
    }
  }

  function assertChangeable(request: ApiRequest): void {
    assertMaster(request, "write");
    if (!isLocked) return;
    throw new ProtocolError(
      ErrorCode.OPERATION_FORBIDDEN,
      "Cannot perform this operation when schemas options is used.",
    );
  }

  function applyEdit(
    schema: ClassSchema,
    { fields, classLevelPermissions, indexes }: JsonObject,
  ): ClassSchema {
    const edit: ClassEdit = { fields, classLevelPermissions, indexes };
    return editClass(schema, edit, fixedFields(schema.className));
  }

  function required(className: string): ClassSchema {
    const schema = schemas.get(className);
    if (schema) return schema;
    throw new ProtocolError(ErrorCode.INVALID_CLASS_NAME, `Class ${className} does not exist.`);
  }
}

function allObjectsQuery(schema: ClassSchema) {
  const where = { kind: "and" as const, conditions: [] };
  return { schema, where, order: [], limit: undefined, skip: 0, subjects: null };
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

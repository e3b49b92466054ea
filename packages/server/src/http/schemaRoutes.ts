import { ErrorCode, isClassName, isInternalClassName, type JsonObject, ProtocolError } from "@purse/protocol";
import type { Objects } from "../objects/objects.ts";
import type { ClassSchema } from "../schema/classSchema.ts";
import { describeClass } from "../schema/describe.ts";
import { type ClassEdit, editClass, invalidClassName } from "../schema/editClass.ts";
import type { Schemas } from "../schema/schemas.ts";
import type { Store } from "../store/store.ts";
import type { ApiRequest, ApiRoute } from "./api.ts";
import { assertMaster } from "./rights.ts";

export interface SchemaRouteParts {
  schemas: Schemas;
  store: Store;
  objects: Objects;
  /** Whether classes are left to the code. */
  isLocked: boolean;
  /** Fields that a class of the server has to keep. */
  fixedFields(className: string): readonly string[];
}

/** How many objects of a class of the server are removed before the next are read. */
const PAGE = 500;

/** Classes as their operator sees them: with the master key. */
export function schemaRoutes({
  schemas,
  store,
  objects,
  isLocked,
  fixedFields,
}: SchemaRouteParts): ApiRoute[] {
  return [
    { method: "GET", path: "/schemas", handle: all },
    { method: "GET", path: "/schemas/:className", handle: one },
    { method: "POST", path: "/schemas", handle: create },
    { method: "POST", path: "/schemas/:className", handle: create },
    { method: "PUT", path: "/schemas/:className", handle: update },
    { method: "DELETE", path: "/schemas/:className", handle: remove },
    { method: "DELETE", path: "/purge/:className", handle: purge },
  ];

  async function all(request: ApiRequest): Promise<JsonObject> {
    assertMaster(request);
    // Operators are told what is, not what this process has heard of.
    await schemas.refresh();
    const shown = schemas.all().filter(({ className }) => !isInternalClassName(className));
    return { results: shown.map(describeClass) };
  }

  async function one(request: ApiRequest): Promise<JsonObject> {
    assertMaster(request);
    const { className = "" } = request.names;
    await schemas.refresh(className);
    return describeClass(required(className));
  }

  async function create(request: ApiRequest): Promise<JsonObject> {
    assertChangeable(request);
    const className = namedClass(request);
    if (className === undefined) {
      throw new ProtocolError(135, `POST ${request.path} needs a class name.`);
    }
    if (!isClassName(className)) {
      throw new ProtocolError(ErrorCode.INVALID_CLASS_NAME, invalidClassName(className));
    }
    const created = await schemas.create(className, (empty) => edited(empty, request.params));
    return describeClass(created);
  }

  async function update(request: ApiRequest): Promise<JsonObject> {
    assertChangeable(request);
    const className = namedClass(request) ?? "";
    required(className);
    return describeClass(await schemas.change(className, (schema) => edited(schema, request.params)));
  }

  async function remove(request: ApiRequest): Promise<JsonObject> {
    assertChangeable(request);
    const className = request.names.className ?? "";
    if (!isClassName(className)) {
      throw new ProtocolError(ErrorCode.INVALID_CLASS_NAME, invalidClassName(className));
    }
    const schema = schemas.get(className);
    if (!schema) return {};
    const count = await store.count(everything(schema));
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
    const className = request.names.className ?? "";
    const schema = schemas.get(className);
    if (!schema) return {};
    if (!className.startsWith("_")) {
      await store.purge(schema);
      return {};
    }
    // What belongs to the server's own objects (names, sessions, addresses) goes with each of them.
    for (;;) {
      const texts = await store.find({ ...everything(schema), limit: PAGE });
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

  function edited(schema: ClassSchema, { fields, classLevelPermissions, indexes }: JsonObject): ClassSchema {
    const edit: ClassEdit = { fields, classLevelPermissions, indexes };
    return editClass(schema, edit, fixedFields(schema.className));
  }

  function required(className: string): ClassSchema {
    const schema = schemas.get(className);
    if (schema) return schema;
    throw new ProtocolError(ErrorCode.INVALID_CLASS_NAME, `Class ${className} does not exist.`);
  }
}

function everything(schema: ClassSchema) {
  const where = { kind: "and" as const, conditions: [] };
  return { schema, where, order: [], limit: undefined, skip: 0, principals: null };
}

/** The class that the path or the body names; both must name the same one. */
function namedClass({ names, params }: ApiRequest): string | undefined {
  const named = typeof params.className === "string" ? params.className : undefined;
  if (names.className !== undefined && named !== undefined && named !== names.className) {
    throw new ProtocolError(
      ErrorCode.INVALID_CLASS_NAME,
      `Class name mismatch between ${named} and ${names.className}.`,
    );
  }
  return names.className ?? named;
}

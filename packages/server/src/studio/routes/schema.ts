import {
  ErrorCode,
  isClassName,
  isInternalClassName,
  isJsonObject,
  type JsonObject,
  ProtocolError,
  type StudioSchemaPreview,
} from "@purse/protocol";
import { describeClass } from "../../data/schema/describe.ts";
import { editClass, invalidClassName } from "../../data/schema/editClass.ts";
import { generateTypes } from "../../data/schema/generateTypes.ts";
import type { ClassSchema } from "../../database/classSchema.ts";
import { classCode, classDiff } from "../classCode.ts";
import { objectParameter } from "../parameters.ts";
import { json, type StudioRequest, type StudioRoute } from "../route.ts";
import { callParseRoute, encodeSegment, type RouteDependencies } from "./routeHelpers.ts";

/** Routes for classes: read, change, preview changes, and generate code. */
export function schemaRoutes(dependencies: RouteDependencies): StudioRoute[] {
  const { schemas, rules } = dependencies;
  return [
    { method: "GET", path: "/schema", needs: "readOnly", handle: list },
    { method: "GET", path: "/schema/code", needs: "readOnly", handle: code },
    { method: "GET", path: "/schema/classes/:className", needs: "readOnly", handle: get },
    { method: "POST", path: "/schema/classes/:className", needs: "editor", handle: create },
    { method: "PUT", path: "/schema/classes/:className", needs: "editor", handle: update },
    { method: "DELETE", path: "/schema/classes/:className", needs: "owner", handle: remove },
    { method: "POST", path: "/schema/classes/:className/preview", needs: "editor", handle: preview },
    { method: "DELETE", path: "/schema/classes/:className/rows", needs: "owner", handle: purge },
  ];

  async function list() {
    await schemas.refresh();
    const visible = schemas.all().filter(({ className }) => !isInternalClassName(className));
    return json({ results: visible.map(describeClass) });
  }

  async function get(request: StudioRequest) {
    const { value } = await callParseRoute(dependencies, request, "GET", schemaPath(request));
    return value;
  }

  /** Returns all classes of the application as `schemas` of purse.config.ts, and as TypeScript types. */
  async function code() {
    const applicationClasses = schemas.all().filter(({ className }) => !className.startsWith("_"));
    return json({
      code: `schemas: [\n${applicationClasses.map((schema) => `  ${classCode(schema, "  ")},\n`).join("")}]`,
      types: generateTypes(schemas.all()),
    });
  }

  async function create(request: StudioRequest) {
    const edit = objectParameter(request.params, "edit");
    request.setAuditDetails({ after: edit });
    const { value } = await callParseRoute(dependencies, request, "POST", schemaPath(request), edit);
    return json(value, 201);
  }

  async function update(request: StudioRequest) {
    const edit = objectParameter(request.params, "edit");
    const known = schemas.get(request.pathParams.className ?? "");
    if (known) request.setAuditDetails({ before: changedParts(known, edit), after: edit });
    const { value } = await callParseRoute(dependencies, request, "PUT", schemaPath(request), edit);
    return value;
  }

  async function remove(request: StudioRequest) {
    const known = schemas.get(request.pathParams.className ?? "");
    if (known) request.setAuditDetails({ before: describeClass(known) });
    await callParseRoute(dependencies, request, "DELETE", schemaPath(request));
    return {};
  }

  async function purge(request: StudioRequest) {
    await callParseRoute(
      dependencies,
      request,
      "DELETE",
      `/purge/${encodeSegment(request.pathParams.className ?? "")}`,
    );
    return {};
  }

  /** Previews a change, using the code that applies it. */
  async function preview(request: StudioRequest) {
    const { className = "" } = request.pathParams;
    if (!isClassName(className)) {
      throw new ProtocolError(ErrorCode.INVALID_CLASS_NAME, invalidClassName(className));
    }
    const { fields, classLevelPermissions, indexes } = objectParameter(request.params, "edit");
    const known = schemas.get(className);
    const empty: ClassSchema = { className, table: "", fields: {}, classLevelPermissions: {}, indexes: {} };
    const fixedFields = Object.keys(rules.get(className)?.fields ?? {});
    const next = editClass(known ?? empty, { fields, classLevelPermissions, indexes }, fixedFields);
    const result: StudioSchemaPreview = { lines: classDiff(known, next), code: classCode(next) };
    return json(result);
  }

  function schemaPath({ pathParams }: StudioRequest): string {
    return `/schemas/${encodeSegment(pathParams.className ?? "")}`;
  }
}

/** Returns the parts of a class that an edit changes, before the edit. */
function changedParts(known: ClassSchema, edit: JsonObject): JsonObject {
  const current = describeClass(known);
  const entries = Object.entries(edit).map(([part, change]): [string, JsonObject[string]] => {
    const before = current[part];
    if (!isJsonObject(before) || !isJsonObject(change)) return [part, before ?? null];
    return [part, Object.fromEntries(Object.keys(change).map((name) => [name, before[name] ?? null]))];
  });
  return Object.fromEntries(entries);
}

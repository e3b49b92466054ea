import {
  ErrorCode,
  isClassName,
  isJsonObject,
  type JsonObject,
  ProtocolError,
  type StudioSchemaPreview,
} from "@purse/protocol";
import { describeClass } from "../../data/schema/describe.ts";
import { editClass, invalidClassName } from "../../data/schema/editClass.ts";
import { generateTypes } from "../../data/schema/generateTypes.ts";
import type { SchemaService } from "../../data/schema/schemaService.ts";
import type { ClassSchema } from "../../database/classSchema.ts";
import { classCode, classDiff } from "../classCode.ts";
import { objectParameter } from "../parameters.ts";
import { json, type StudioRequest, type StudioRoute } from "../route.ts";
import type { RouteDependencies } from "./routeHelpers.ts";

export interface SchemaDependencies extends Pick<RouteDependencies, "schemas" | "rules"> {
  schemaService: SchemaService;
}

/** Routes for classes: read, change, preview changes, and generate code. */
export function schemaRoutes({ schemas, schemaService, rules }: SchemaDependencies): StudioRoute[] {
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
    return json({ results: await schemaService.list() });
  }

  async function get(request: StudioRequest) {
    return schemaService.get(classNameOf(request));
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
    return json(await schemaService.create(classNameOf(request), edit), 201);
  }

  async function update(request: StudioRequest) {
    const edit = objectParameter(request.params, "edit");
    const known = schemas.get(classNameOf(request));
    if (known) request.setAuditDetails({ before: changedParts(known, edit), after: edit });
    return schemaService.update(classNameOf(request), edit);
  }

  async function remove(request: StudioRequest) {
    const known = schemas.get(classNameOf(request));
    if (known) request.setAuditDetails({ before: describeClass(known) });
    await schemaService.remove(classNameOf(request));
    return {};
  }

  async function purge(request: StudioRequest) {
    await schemaService.purge(classNameOf(request), request.context);
    return {};
  }

  /** Previews a change, using the code that applies it. */
  async function preview(request: StudioRequest) {
    const className = classNameOf(request);
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
}

function classNameOf({ pathParams }: StudioRequest): string {
  return pathParams.className ?? "";
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

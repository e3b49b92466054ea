import {
  ErrorCode,
  isClassName,
  isInternalClassName,
  isJsonObject,
  type JsonObject,
  ProtocolError,
  type StudioSchemaPreview,
} from "@purse/protocol";
import type { ClassSchema } from "../../schema/classSchema.ts";
import { describeClass } from "../../schema/describe.ts";
import { editClass, invalidClassName } from "../../schema/editClass.ts";
import { typesText } from "../../schema/typesText.ts";
import { classCode, classDiff } from "../classCode.ts";
import { objectIn } from "../parameters.ts";
import { json, type StudioRequest, type StudioRoute } from "../route.ts";
import { ask, type PipelineParts, segment } from "./pipeline.ts";

/** Classes: what they are, what a change would do, the change; as code too. */
export function schemaRoutes(parts: PipelineParts): StudioRoute[] {
  const { schemas, rules } = parts;
  return [
    { method: "GET", path: "/schema", needs: "readOnly", handle: all },
    { method: "GET", path: "/schema/code", needs: "readOnly", handle: code },
    { method: "GET", path: "/schema/classes/:className", needs: "readOnly", handle: one },
    { method: "POST", path: "/schema/classes/:className", needs: "editor", handle: create },
    { method: "PUT", path: "/schema/classes/:className", needs: "editor", handle: update },
    { method: "DELETE", path: "/schema/classes/:className", needs: "owner", handle: remove },
    { method: "POST", path: "/schema/classes/:className/preview", needs: "editor", handle: preview },
    { method: "DELETE", path: "/schema/classes/:className/rows", needs: "owner", handle: purge },
  ];

  async function all() {
    await schemas.refresh();
    const shown = schemas.all().filter(({ className }) => !isInternalClassName(className));
    return json({ results: shown.map(describeClass) });
  }

  async function one(request: StudioRequest) {
    const { value } = await ask(parts, request, "GET", pathOf(request));
    return value;
  }

  /** All classes of the application as `schemas` of purse.config.ts, and as types of TypeScript. */
  async function code() {
    const own = schemas.all().filter(({ className }) => !className.startsWith("_"));
    return json({
      code: `schemas: [\n${own.map((schema) => `  ${classCode(schema, "  ")},\n`).join("")}]`,
      types: typesText(schemas.all()),
    });
  }

  async function create(request: StudioRequest) {
    const edit = objectIn(request.params, "edit");
    request.note({ after: edit });
    const { value } = await ask(parts, request, "POST", pathOf(request), edit);
    return json(value, 201);
  }

  async function update(request: StudioRequest) {
    const edit = objectIn(request.params, "edit");
    const known = schemas.get(request.names.className ?? "");
    if (known) request.note({ before: touched(known, edit), after: edit });
    const { value } = await ask(parts, request, "PUT", pathOf(request), edit);
    return value;
  }

  async function remove(request: StudioRequest) {
    const known = schemas.get(request.names.className ?? "");
    if (known) request.note({ before: describeClass(known) });
    await ask(parts, request, "DELETE", pathOf(request));
    return {};
  }

  async function purge(request: StudioRequest) {
    await ask(parts, request, "DELETE", `/purge/${segment(request.names.className ?? "")}`);
    return {};
  }

  /** What a change would do, without doing it: by the code that does it. */
  async function preview(request: StudioRequest) {
    const { className = "" } = request.names;
    if (!isClassName(className)) {
      throw new ProtocolError(ErrorCode.INVALID_CLASS_NAME, invalidClassName(className));
    }
    const { fields, classLevelPermissions, indexes } = objectIn(request.params, "edit");
    const known = schemas.get(className);
    const empty: ClassSchema = { className, table: "", fields: {}, classLevelPermissions: {}, indexes: {} };
    const fixed = Object.keys(rules.get(className)?.fields ?? {});
    const next = editClass(known ?? empty, { fields, classLevelPermissions, indexes }, fixed);
    const told: StudioSchemaPreview = { lines: classDiff(known, next), code: classCode(next) };
    return json(told);
  }

  function pathOf({ names }: StudioRequest): string {
    return `/schemas/${segment(names.className ?? "")}`;
  }
}

/** What was where an edit changes something. */
function touched(known: ClassSchema, edit: JsonObject): JsonObject {
  const was = describeClass(known);
  const entries = Object.entries(edit).map(([part, change]): [string, JsonObject[string]] => {
    const before = was[part];
    if (!isJsonObject(before) || !isJsonObject(change)) return [part, before ?? null];
    return [part, Object.fromEntries(Object.keys(change).map((name) => [name, before[name] ?? null]))];
  });
  return Object.fromEntries(entries);
}

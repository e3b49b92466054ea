import { ErrorCode, isClassName, isJsonObject, type JsonObject, ProtocolError } from "@purse/protocol";
import { operationForbidden } from "../../core/operationForbidden.ts";
import { isClientClass } from "../../data/permissions/clientAccess.ts";
import { describeClass } from "../../data/schema/describe.ts";
import { editClass, invalidClassName } from "../../data/schema/editClass.ts";
import { generateTypes } from "../../data/schema/generateTypes.ts";
import type { SchemaService } from "../../data/schema/schemaService.ts";
import type { ClassSchema } from "../../database/classSchema.ts";
import type { StudioRole } from "../../studioApi/operatorRoles.ts";
import {
  schemaEndpoints as endpoints,
  type StudioSchemaPreview,
  studioClass,
} from "../../studioApi/schema.ts";
import { classCode, classDiff } from "../classCode.ts";
import { type Requests, requireSignedIn, route, type StudioRoute } from "../route.ts";
import type { RouteDependencies } from "./routeContext.ts";

type SchemaRequests = Requests<typeof endpoints>;

export interface SchemaDependencies extends Pick<RouteDependencies, "schemas" | "rules"> {
  schemaService: SchemaService;
}

/** Routes for classes: read, change, preview changes, and generate code. */
export function schemaRoutes({ schemas, schemaService, rules }: SchemaDependencies): StudioRoute[] {
  return [
    route(endpoints.list, async () => ({
      results: (await schemaService.list()).map((each) => {
        const described = studioClass.parse(each);
        const isInternal = !isClientClass(described.className, rules);
        return { ...described, ...(isInternal && { isInternal }) };
      }),
    })),
    route(endpoints.code, code),
    route(endpoints.get, async ({ pathParams }) =>
      studioClass.parse(await schemaService.get(pathParams.className)),
    ),
    route(endpoints.create, create),
    route(endpoints.update, update),
    route(endpoints.remove, remove),
    route(endpoints.preview, preview),
    route(endpoints.purge, purge),
  ];

  /** Returns all classes of the application as `schemas` of purse.config.ts, and as TypeScript types. */
  async function code() {
    const applicationClasses = schemas.all().filter(({ className }) => !className.startsWith("_"));
    return {
      code: `schemas: [\n${applicationClasses.map((schema) => `  ${classCode(schema, "  ")},\n`).join("")}]`,
      types: generateTypes(schemas.all()),
    };
  }

  async function create({ pathParams, params: { edit }, setAuditDetails }: SchemaRequests["create"]) {
    setAuditDetails({ after: edit });
    return studioClass.parse(await schemaService.create(pathParams.className, edit));
  }

  async function update(request: SchemaRequests["update"]) {
    const { pathParams, params, setAuditDetails } = request;
    const { edit } = params;
    assertMayEdit(requireSignedIn(request).operator.role, edit);
    const known = schemas.get(pathParams.className);
    if (known) setAuditDetails({ before: changedParts(known, edit), after: edit });
    return studioClass.parse(await schemaService.update(pathParams.className, edit));
  }

  async function remove({ pathParams: { className }, setAuditDetails }: SchemaRequests["remove"]) {
    const known = schemas.get(className);
    if (known) setAuditDetails({ before: describeClass(known) });
    await schemaService.remove(className);
    return {};
  }

  async function purge({ pathParams, context }: SchemaRequests["purge"]) {
    await schemaService.purge(pathParams.className, context);
    return {};
  }

  /** Previews a change, using the code that applies it. */
  async function preview({ pathParams, params }: SchemaRequests["preview"]): Promise<StudioSchemaPreview> {
    const { className } = pathParams;
    if (!isClassName(className)) {
      throw new ProtocolError(ErrorCode.INVALID_CLASS_NAME, invalidClassName(className));
    }
    const { fields, classLevelPermissions, indexes } = params.edit;
    const known = schemas.get(className);
    const empty: ClassSchema = { className, table: "", fields: {}, classLevelPermissions: {}, indexes: {} };
    const fixedFields = Object.keys(rules.get(className)?.fields ?? {});
    const next = editClass(known ?? empty, { fields, classLevelPermissions, indexes }, fixedFields);
    return { lines: classDiff(known, next), code: classCode(next) };
  }
}

/** Throws 119 if an edit removes fields, whose values go with them, and the operator is no owner: as with whole classes. */
export function assertMayEdit(role: StudioRole, { fields }: JsonObject): void {
  if (role === "owner" || !isJsonObject(fields)) return;
  const removed = Object.keys(fields).find((name) => {
    const field = fields[name];
    return isJsonObject(field) && field.__op === "Delete";
  });
  if (removed !== undefined)
    throw operationForbidden(`Removing the field ${removed} with its values requires the role owner.`, 403);
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

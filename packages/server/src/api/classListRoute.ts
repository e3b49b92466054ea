import type { JsonObject } from "@purse/protocol";
import { z } from "zod";
import type { AuthContext } from "../core/authContext.ts";
import type { ApiRoute } from "../core/http/apiRoute.ts";
import { jsonObject, routeOf } from "../core/http/endpoint.ts";
import { operationForbidden } from "../core/operationForbidden.ts";
import { isAllowed, mayAddFields } from "../data/permissions/classPermissions.ts";
import { MATCH_NOTHING, pointerCondition } from "../data/permissions/pointerPermissions.ts";
import { evaluateQueryProtection, type ProtectedFields } from "../data/permissions/protectedFields.ts";
import { clientFields } from "../data/schema/describe.ts";
import type { Schemas } from "../data/schema/schemas.ts";
import type { ClassSchema } from "../database/classSchema.ts";

export interface ClassListDependencies {
  schemas: Schemas;
  /** Whether clients may list the classes; the master key always may. */
  isPublic: boolean;
  allowClientAddField: boolean;
  /** Protected fields by class and ACL subject, as configured. */
  protectedFields: Readonly<Record<string, ProtectedFields>> | undefined;
}

const ENDPOINT = {
  method: "GET",
  path: "/classes",
  access: "everyone",
  heading: "Objects",
  summary: "Classes that the caller may query, if `PURSE_ALLOW_CLIENT_CLASS_LIST` allows it",
  schemas: () => ({
    response: z.object({
      results: z.array(
        z.object({
          className: z.string(),
          fields: jsonObject(),
          create: z.boolean(),
          addField: z.boolean(),
        }),
      ),
    }),
  }),
  errors: { 403: "Clients may not list the classes (119)" },
} as const;

/**
 * Lists the classes in which the client may find objects, with the fields that it may read. Other classes are not
 * listed.
 */
export function classListRoute({
  schemas,
  isPublic,
  allowClientAddField,
  ...dependencies
}: ClassListDependencies): ApiRoute {
  return routeOf(ENDPOINT, async ({ auth }) => {
    if (!isPublic && auth.kind !== "master") {
      throw operationForbidden("Clients may not list the classes here.", 403);
    }
    const visible = schemas
      .all()
      .filter(({ className }) => !className.startsWith("_"))
      // Classes that are readable only through pointer permissions are hidden from clients that they exclude.
      .filter((schema) => pointerCondition(schema, "find", auth) !== MATCH_NOTHING)
      .sort((a, b) => (a.className < b.className ? -1 : 1));
    return { results: visible.map((schema) => describe(schema, auth)) };
  });

  function describe(schema: ClassSchema, auth: AuthContext): JsonObject {
    const { className } = schema;
    const hidden = new Set(evaluateQueryProtection(schema, dependencies.protectedFields?.[className], auth));
    const visibleFields = Object.entries(clientFields(className, schema.fields)).filter(
      ([name]) => !hidden.has(name),
    );
    const description = {
      className,
      fields: Object.fromEntries(visibleFields),
      create: isAllowed(schema, "create", auth),
      addField: mayAddFields(schema, auth, allowClientAddField),
    };
    return JSON.parse(JSON.stringify(description));
  }
}

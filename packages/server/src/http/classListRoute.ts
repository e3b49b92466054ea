import { ErrorCode, type JsonObject, ProtocolError } from "@purse/protocol";
import type { AuthContext } from "../authContext.ts";
import { isAllowed, NOTHING, pointerScope, protectedFieldsFor } from "../objects/permissions.ts";
import type { ClassSchema } from "../schema/classSchema.ts";
import { fieldsOf } from "../schema/describe.ts";
import type { Schemas } from "../schema/schemas.ts";
import type { ApiRoute } from "./api.ts";

export interface ClassListParts {
  schemas: Schemas;
  /** Whether clients may ask; who has the master key always may. */
  isOpen: boolean;
  allowClientAddField: boolean;
  /** Hidden fields by class and principal, as the settings have them. */
  protectedFields: Readonly<Record<string, Readonly<Record<string, string[]>>>> | undefined;
}

/**
 * The classes of the application in which whoever asks may find objects, with the fields that they may see: `GET /classes`
 * answers `{ results: [{ className, fields, create, addField }] }`. What they may not find in is not named.
 */
export function classListRoute({ schemas, isOpen, allowClientAddField, ...parts }: ClassListParts): ApiRoute {
  return {
    method: "GET",
    path: "/classes",
    async handle({ auth }) {
      if (!isOpen && auth.kind !== "master") {
        throw new ProtocolError(ErrorCode.OPERATION_FORBIDDEN, "Clients may not list the classes here.", 403);
      }
      const shown = schemas
        .all()
        .filter(({ className }) => !className.startsWith("_"))
        .filter((schema) => isAllowed(schema, "find", auth))
        // What only those pointed to may read is nothing to strangers.
        .filter((schema) => pointerScope(schema, "find", auth) !== NOTHING)
        .sort((a, b) => (a.className < b.className ? -1 : 1));
      return { results: shown.map((schema) => described(schema, auth)) };
    },
  };

  function described(schema: ClassSchema, auth: AuthContext): JsonObject {
    const { className } = schema;
    const hidden = new Set(protectedFieldsFor(schema, parts.protectedFields?.[className], auth));
    const all = Object.entries(fieldsOf(className, schema.fields)).filter(([name]) => !hidden.has(name));
    const addsFields = allowClientAddField || schema.classLevelPermissions.addField !== undefined;
    const description = {
      className,
      fields: Object.fromEntries(all),
      create: isAllowed(schema, "create", auth),
      addField: addsFields && isAllowed(schema, "addField", auth),
    };
    return JSON.parse(JSON.stringify(description));
  }
}

import type { FieldType, JsonObject } from "@purse/protocol";
import { type ClassSchema, COMMON_FIELDS } from "../../database/classSchema.ts";
import { OPEN_PERMISSIONS } from "../permissions/defaultPermissions.ts";

/** Fields that clients send for some classes and that are stored outside of the object. */
const UNLISTED_FIELDS: Readonly<Record<string, Record<string, FieldType>>> = {
  _User: { password: { type: "String" }, authData: { type: "Object" } },
  _Session: { sessionToken: { type: "String" } },
};

/** Returns all fields of a class as clients see them. */
export function clientFields(className: string, fields: ClassSchema["fields"]): Record<string, FieldType> {
  return { ...COMMON_FIELDS, ...UNLISTED_FIELDS[className], ...fields };
}

/**
 * Describes a class in the format of `/schemas`. The default of new objects' ACLs, which allows everything, may be left
 * out: the versions of Parse Server differ.
 */
export function describeClass(schema: ClassSchema, { listsOpenAcl = true } = {}): JsonObject {
  const { className, fields, classLevelPermissions, indexes } = schema;
  const isOpen = Object.keys(classLevelPermissions).length === 0;
  const { ACL, ...openOperations } = OPEN_PERMISSIONS;
  const description = {
    className,
    fields: clientFields(className, fields),
    classLevelPermissions: isOpen
      ? { ...(listsOpenAcl && { ACL }), ...openOperations }
      : classLevelPermissions,
    ...(Object.keys(indexes).length > 0 && { indexes: { _id_: { _id: 1 }, ...indexes } }),
  };
  return JSON.parse(JSON.stringify(description));
}

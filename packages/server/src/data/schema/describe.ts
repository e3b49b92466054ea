import type { FieldType, JsonObject } from "@purse/protocol";
import type { ClassLevelPermissions, ClassSchema } from "../../database/classSchema.ts";

/** The fields that every object has; they are not part of stored schemas. */
export const COMMON_FIELDS: Readonly<Record<string, FieldType>> = {
  objectId: { type: "String" },
  createdAt: { type: "Date" },
  updatedAt: { type: "Date" },
  ACL: { type: "ACL" },
};

/** Fields that clients send for some classes and that are stored outside of the object. */
const UNLISTED_FIELDS: Readonly<Record<string, Record<string, FieldType>>> = {
  _User: { password: { type: "String" }, authData: { type: "Object" } },
  _Session: { sessionToken: { type: "String" } },
};

const OPERATIONS = ["find", "count", "get", "create", "update", "delete", "addField"] as const;

/** The permissions of a class without permissions of its own. */
const OPEN_PERMISSIONS: ClassLevelPermissions = {
  ACL: { "*": { read: true, write: true } },
  ...Object.fromEntries(OPERATIONS.map((operation) => [operation, { "*": true }])),
  protectedFields: { "*": [] },
};

/** Defaults for operations that explicit permissions omit: master key only. */
export const CLOSED_PERMISSIONS: ClassLevelPermissions = {
  ...Object.fromEntries(OPERATIONS.map((operation) => [operation, {}])),
  protectedFields: {},
};

/** Returns all fields of a class as clients see them. */
export function clientFields(className: string, fields: ClassSchema["fields"]): Record<string, FieldType> {
  return { ...COMMON_FIELDS, ...UNLISTED_FIELDS[className], ...fields };
}

/** Describes a class in the format of `/schemas`. */
export function describeClass(schema: ClassSchema): JsonObject {
  const { className, fields, classLevelPermissions, indexes } = schema;
  const isOpen = Object.keys(classLevelPermissions).length === 0;
  const description = {
    className,
    fields: clientFields(className, fields),
    classLevelPermissions: isOpen ? OPEN_PERMISSIONS : classLevelPermissions,
    ...(Object.keys(indexes).length > 0 && { indexes: { _id_: { _id: 1 }, ...indexes } }),
  };
  return JSON.parse(JSON.stringify(description));
}

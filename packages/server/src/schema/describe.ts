import type { FieldType, JsonObject } from "@purse/protocol";
import type { ClassLevelPermissions, ClassSchema } from "./classSchema.ts";

/** The fields that every object has; no stored schema lists them. */
export const COMMON_FIELDS: Readonly<Record<string, FieldType>> = {
  objectId: { type: "String" },
  createdAt: { type: "Date" },
  updatedAt: { type: "Date" },
  ACL: { type: "ACL" },
};

/** Fields that clients of some classes send and that are kept outside the object. */
const UNLISTED_FIELDS: Readonly<Record<string, Record<string, FieldType>>> = {
  _User: { password: { type: "String" }, authData: { type: "Object" } },
  _Session: { sessionToken: { type: "String" } },
};

const OPERATIONS = ["find", "count", "get", "create", "update", "delete", "addField"] as const;

/** The permissions of a class that nobody has set any for. */
const OPEN_PERMISSIONS: ClassLevelPermissions = {
  ACL: { "*": { read: true, write: true } },
  ...Object.fromEntries(OPERATIONS.map((operation) => [operation, { "*": true }])),
  protectedFields: { "*": [] },
};

/** What permissions that somebody has set leave out is for the master key alone. */
export const CLOSED_PERMISSIONS: ClassLevelPermissions = {
  ...Object.fromEntries(OPERATIONS.map((operation) => [operation, {}])),
  protectedFields: {},
};

/** All fields of a class as clients know them. */
export function fieldsOf(className: string, fields: ClassSchema["fields"]): Record<string, FieldType> {
  return { ...COMMON_FIELDS, ...UNLISTED_FIELDS[className], ...fields };
}

/** A class as `/schemas` tells it. */
export function describeClass(schema: ClassSchema): JsonObject {
  const { className, fields, classLevelPermissions, indexes } = schema;
  const isOpen = Object.keys(classLevelPermissions).length === 0;
  const description = {
    className,
    fields: fieldsOf(className, fields),
    classLevelPermissions: isOpen ? OPEN_PERMISSIONS : classLevelPermissions,
    ...(Object.keys(indexes).length > 0 && { indexes: { _id_: { _id: 1 }, ...indexes } }),
  };
  return JSON.parse(JSON.stringify(description));
}

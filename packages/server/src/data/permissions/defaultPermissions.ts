import type { ClassLevelPermissions } from "../../database/classSchema.ts";

const OPERATIONS = ["find", "count", "get", "create", "update", "delete", "addField"] as const;

/** What a class without class-level permissions allows. */
export const OPEN_PERMISSIONS: ClassLevelPermissions = {
  ACL: { "*": { read: true, write: true } },
  ...Object.fromEntries(OPERATIONS.map((operation) => [operation, { "*": true }])),
  protectedFields: { "*": [] },
};

/** Defaults for operations that class-level permissions omit: master key only. */
export const CLOSED_PERMISSIONS: ClassLevelPermissions = {
  ...Object.fromEntries(OPERATIONS.map((operation) => [operation, {}])),
  protectedFields: {},
};
